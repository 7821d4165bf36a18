#include "sweeps/file/time_limit.hpp"

#include <sstream>
#include <vector>

#include <fmt/chrono.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"

namespace ringmark::sweep {

std::chrono::seconds parse_time_limit(const std::string& text) {
  const Problem problem{.flag = "--time",
                        .value = text,
                        .text = "is not a time limit that sbatch accepts",
                        .remedy = "give minutes, HH:MM:SS or DAYS-HH:MM:SS"};
  constexpr std::size_t most_parts = 3;
  constexpr long most = 1'000'000;
  const auto dash = text.find('-');
  const bool has_days = dash != std::string::npos;
  std::vector<long> parts;
  std::istringstream rest(has_days ? text.substr(dash + 1) : text);
  for (std::string part; std::getline(rest, part, ':');) {
    long number = 0;
    if (!read_number(part, 0L, most, number)) throw BadUsage(problem);
    parts.push_back(number);
  }
  long days = 0;
  if (parts.empty() || parts.size() > most_parts || text.ends_with(':') ||
      (has_days && !read_number(text.substr(0, dash), 0L, most, days)))
    throw BadUsage(problem);
  // After days, parts at the end may be missing; otherwise those at the beginning. A lone number is minutes.
  const bool begins_with_hours = has_days || parts.size() == most_parts;
  if (!begins_with_hours) parts.insert(parts.begin(), 0);
  parts.resize(most_parts, 0);
  const auto limit = std::chrono::days(days) + std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) +
                     std::chrono::seconds(parts[2]);
  if (limit.count() == 0) throw BadUsage(problem);
  return limit;
}

std::chrono::seconds require_time_limit(const std::string& text, std::chrono::seconds least,
                                        const std::string& reason) {
  const auto limit = parse_time_limit(text);
  if (limit < least)
    throw BadUsage(Problem{.flag = "--time",
                           .value = text,
                           .text = "is too short: " + reason,
                           .remedy = fmt::format("give at least {:%H:%M:%S}", least)});
  return limit;
}

std::chrono::seconds time_to_stop(const Sweep& sweep) {
  constexpr std::chrono::seconds to_write(55);
  return std::chrono::ceil<std::chrono::seconds>(sweep.grace) + to_write;
}

}  // namespace ringmark::sweep
