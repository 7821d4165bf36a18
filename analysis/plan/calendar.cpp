#include "analysis/plan/calendar.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark::analysis {
namespace {

constexpr double epoch_number = 25569;   // of 1970-01-01
constexpr double last_number = 2958465;  // of 9999-12-31
constexpr auto after_last = "after 9999";

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
  constexpr std::size_t length = 10, after_year = 4, after_month = 7;
  int year = 0;
  unsigned month = 0, day = 0;
  if (text.size() != length || text[after_year] != '-' || text[after_month] != '-' ||
      !read_number<int>(text.substr(0, after_year), 1900, 9999, year) ||
      !read_number<unsigned>(text.substr(after_year + 1, 2), 1, 12, month) ||
      !read_number<unsigned>(text.substr(after_month + 1, 2), 1, 31, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  return date.ok() ? std::optional(Day{date}) : std::nullopt;
}

std::string day_after(const Day& start, double days) {
  const double number = std::floor(day_number(start) + days);
  if (number > last_number) return after_last;
  const std::chrono::year_month_day date{Day{std::chrono::days{static_cast<int>(number - epoch_number)}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

double day_number(const Day& day) { return static_cast<double>(day.time_since_epoch().count()) + epoch_number; }

std::string day_formula(const std::string& number) {
  // Letters for years and days in TEXT() depend on the reader's language.
  return fmt::format(R"(IF(INT({0})>{1},"{2}",YEAR({0})&"-"&TEXT(MONTH({0}),"00")&"-"&TEXT(DAY({0}),"00")))", number,
                     last_number, after_last);
}

}  // namespace ringmark::analysis
