// Numbers as they were printed, and whether a printed time and a printed rate can belong to one another.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

/// The values that a printed number may stand for: plus or minus one unit of its last digit, or 0.01 % if that is more,
/// since files may have been rounded again.
struct PrintedNumber {
  double low, high;
};
PrintedNumber operator*(PrintedNumber number, double factor);

/// Nothing for words that are not finite decimals: "12.5" and "1.04858e+06" are, "N/A" and "nan" are not.
std::optional<PrintedNumber> printed_number(std::string_view word);

/// True if both may stand for the same value.
bool may_be_equal(PrintedNumber one, PrintedNumber other);
/// True if the bytes may have taken that time at that rate.
bool may_belong(double bytes, PrintedNumber time_us, PrintedNumber GBps);

}  // namespace ringmark
