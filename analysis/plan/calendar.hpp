// Calendar days on which a run begins and ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::analysis {

using Day = std::chrono::sys_days;

/// Reads "2027-01-15"; nothing for any other text or a day that does not exist.
std::optional<Day> parse_day(std::string_view text);
/// The day that is `days` after `start`: "2027-02-03", or "after 9999".
std::string day_after(const Day& start, double days);

/// A spreadsheet's number for a day.
double day_number(const Day& day);
/// day_after() as a formula of a spreadsheet's number, which may have a fraction.
std::string day_formula(const std::string& number);

}  // namespace ringmark::analysis
