#include "lab/rate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/units.hpp"

namespace ringmark::lab {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bits_per_second;
};

// Largest first: to_string takes the first that divides the rate.
constexpr std::array units{Unit{"gbit", 1'000'000'000}, Unit{"mbit", 1'000'000}, Unit{"kbit", 1'000}, Unit{"bit", 1}};

constexpr double slowest = 8e3;
constexpr double fastest = 400e9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Rate> parse_rate(std::string_view text) {
  if (text == "0") return Rate{};
  if (text.empty() || !is_digit(text.front())) return std::nullopt;  // from_chars also accepts "-1", "inf" and "nan"
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc{}) return std::nullopt;
  const std::string_view name(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  for (const Unit& unit : units) {
    if (name != unit.name) continue;
    const double rate = std::round(number * static_cast<double>(unit.bits_per_second));
    if (rate < slowest || rate > fastest) return std::nullopt;
    return Rate{static_cast<std::uint64_t>(rate)};
  }
  return std::nullopt;
}

std::string to_string(Rate rate) {
  if (!rate.shaped()) return "0";
  for (const Unit& unit : units)
    if (rate.bits_per_second % unit.bits_per_second == 0)
      return fmt::format("{}{}", rate.bits_per_second / unit.bits_per_second, unit.name);
  return {};
}

std::optional<std::uint32_t> parse_burst(std::string_view text) {
  constexpr std::size_t least = 2 << 10, most = 64 << 20;
  const auto bytes = parse_size(text);
  if (!bytes || *bytes < least || *bytes > most) return std::nullopt;
  return static_cast<std::uint32_t>(*bytes);
}

std::uint32_t usual_burst_bytes(Rate rate) {
  constexpr std::uint64_t per_second = 500, bits = 8, least = 8 << 10, most = 128 << 10;
  return static_cast<std::uint32_t>(std::clamp(rate.bits_per_second / bits / per_second, least, most));
}

}  // namespace ringmark::lab
