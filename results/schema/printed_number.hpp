// Numbers as they were printed, and whether a printed time and a printed rate are consistent.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

/// The range of values that may have been printed as a number: plus or minus one unit of its last digit, or 0.01 % if
/// that is more, since files may have been rounded again.
struct PrintedNumber {
  double low, high;
};
PrintedNumber operator*(PrintedNumber number, double factor);

/// Empty for words that are not finite decimal numbers: "12.5" and "1.04858e+06" are, "N/A" and "nan" are not.
std::optional<PrintedNumber> printed_number(std::string_view word);

/// True if both may stand for the same value.
bool may_be_equal(PrintedNumber one, PrintedNumber other);
/// True if transferring `bytes` at that rate may have taken that time.
bool may_belong(double bytes, PrintedNumber time_us, PrintedNumber GBps);

}  // namespace ringmark
