#include "base/text/duration_text.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark {

std::string as_timeout(std::chrono::nanoseconds limit) {
  return fmt::format("{:g} s (--timeout)", std::chrono::duration<double>(limit).count());
}

std::optional<std::chrono::milliseconds> parse_time(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[]{{"ms", 1}, {"min", 60e3}, {"s", 1e3}, {"h", 3600e3}};
  for (const auto& [unit, milliseconds] : units) {
    if (!text.ends_with(unit)) continue;
    double count = 0;
    if (!read_number(text.substr(0, text.size() - unit.size()), 0.0, 1e6, count)) break;
    const std::chrono::milliseconds result(static_cast<long>(count * milliseconds));
    if (result.count() > 0) return result;
    break;
  }
  return std::nullopt;
}

}  // namespace ringmark
