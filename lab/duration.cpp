#include "lab/duration.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark::lab {

using std::chrono::milliseconds;

std::optional<milliseconds> parse_duration(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr double longest_ms = 24 * 3600e3;
  for (const auto& [unit, ms] : {std::pair("ms"sv, 1.0), std::pair("s"sv, 1e3), std::pair("m"sv, 60e3)}) {
    double number = 0;
    if (text.ends_with(unit) && read_number(text.substr(0, text.size() - unit.size()), 0.0, longest_ms / ms, number))
      return milliseconds(std::llround(number * ms));
  }
  return std::nullopt;
}

std::string to_string(milliseconds duration) {
  const auto ms = duration.count();
  return ms % 1000 == 0 ? fmt::format("{}s", ms / 1000) : fmt::format("{}ms", ms);
}

}  // namespace ringmark::lab
