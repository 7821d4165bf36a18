#include "base/units.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace ringmark {
namespace {

constexpr std::string_view letters = "KMGT";

}  // namespace

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (suffix.empty() || suffix == "B") return value;

  const char letter = suffix.front() >= 'a' ? static_cast<char>(suffix.front() - 'a' + 'A') : suffix.front();
  const auto power = letters.find(letter);
  suffix.remove_prefix(1);
  if (power == std::string_view::npos || !(suffix.empty() || suffix == "B" || suffix == "iB")) return std::nullopt;
  const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
  if (value > (std::numeric_limits<std::size_t>::max() >> shift)) return std::nullopt;
  return value << shift;
}

std::optional<double> parse_figure(std::string_view text) {
  if (const auto size = parse_size(text)) return static_cast<double>(*size);
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string format_size(std::size_t bytes) {
  std::size_t power = 0;
  while (bytes != 0 && bytes % 1024 == 0 && power < letters.size()) {
    bytes /= 1024;
    ++power;
  }
  return std::to_string(bytes) + (power > 0 ? std::string(1, letters[power - 1]) : "");
}

}  // namespace ringmark
