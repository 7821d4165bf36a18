#include "results/schema/printed_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/units.hpp"

namespace ringmark {
namespace {

template <class Number>
bool is_whole_of(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

PrintedNumber operator*(PrintedNumber number, double factor) { return {number.low * factor, number.high * factor}; }

std::optional<PrintedNumber> printed_number(std::string_view word) {
  double value = 0;
  if (!is_whole_of(word, value) || !std::isfinite(value)) return std::nullopt;
  const auto e = std::min(word.find_first_of("eE"), word.size());
  int exponent = 0;
  auto power = word.substr(std::min(e + 1, word.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  if (!power.empty() && !is_whole_of(power, exponent)) return std::nullopt;
  const auto point = std::min(word.find('.'), e);
  const auto decimals = point == e ? 0 : e - point - 1;
  constexpr double least = 1e-4;  // relative
  const double off = std::max(std::pow(10.0, exponent - static_cast<double>(decimals)), least * std::abs(value));
  return PrintedNumber{value - off, value + off};
}

bool may_be_equal(PrintedNumber one, PrintedNumber other) { return one.low <= other.high && other.low <= one.high; }

bool may_belong(double bytes, PrintedNumber time_us, PrintedNumber GBps) {
  const double moved = bytes / bytes_per_us_per_GBps;
  return (time_us.low <= 0 || moved / time_us.low >= GBps.low) && time_us.high > 0 && moved / time_us.high <= GBps.high;
}

}  // namespace ringmark
