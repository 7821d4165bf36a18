#include "analysis/report/headline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/question.hpp"
#include "analysis/table/caveats.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "base/text/text_table.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

std::string range_of(const std::vector<double>& values, const char* unit) {
  const Sorted sorted(values);
  const auto low = short_number(sorted.min()), high = short_number(sorted.max());
  return low == high ? fmt::format("{} {}", low, unit) : fmt::format("{} to {} {}", low, high, unit);
}

std::string name_of_setting(const std::string& label) { return label.empty() ? "the default" : label; }

/// Includes all settings that vary: anyone who repeats the measurement needs each of them.
std::string full_name_of(const BestAtLargest& best, const std::optional<CompareResult>& comparison) {
  if (best.setting.empty()) return name_of_setting(best.label);
  const bool is_default = comparison && comparison->by == configuration_column && best.label == comparison->baseline;
  return is_default ? fmt::format("the default ({})", best.setting) : best.setting;
}

/// The settings that vary among these rows.
std::vector<std::string> varied_settings(const Table& table, const std::vector<std::size_t>& rows) {
  auto columns = choices(table);
  std::erase_if(columns, [&](const std::string& column) { return values_in(table, rows, column).size() < 2; });
  return columns;
}

std::string setting_in_words(const Table& table, std::size_t row, const std::vector<std::string>& columns) {
  if (columns.size() < 2) return "";
  std::vector<std::string> words;
  for (const auto& column : columns) {
    const auto value = table.cell(row, column);
    words.push_back(fmt::format("{}={}", column, value.empty() ? "unset" : value));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// Adds the comparison's verdict to the best setting, which has these rows. The baseline is the best if all others are
/// significantly slower.
void hold_against(const CompareResult& comparison, const std::vector<std::size_t>& rows, BestAtLargest& best) {
  int others = 0, slower = 0;
  const auto is_of_best = [&](std::size_t row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  for (const auto& each : comparison.comparisons) {
    if (is_of_best(each.baseline_row)) {
      merge(best.caveats, each.caveats);
      ++others;
      slower += each.verdict == Verdict::slower ? 1 : 0;
    }
    if (!is_of_best(each.row)) continue;
    merge(best.caveats, each.baseline_caveats);
    const bool is_decided = ringmark::is_decided(each.verdict) && !each.is_doubted();
    best.against =
        each.judged_in_words() + (is_decided ? fmt::format(" than {}", name_of_setting(comparison.baseline)) : "");
    best.is_shown = each.verdict == Verdict::faster;
    best.is_undecided = each.verdict == Verdict::too_few;
  }
  if (best.label == comparison.baseline) best.is_shown = others > 0 && slower == others;
  if (forbid_decision(best.caveats)) best.is_shown = false;
}

/// "at 16M" where the largest sizes of all cases are the same.
std::string size_in_words(const std::vector<BestAtLargest>& best) {
  const bool is_one_size = std::all_of(best.begin(), best.end(),
                                       [&](const auto& each) { return each.size_bytes == best.front().size_bytes; });
  return is_one_size ? "at " + format_size(best.front().size_bytes) : "at the largest size";
}

std::string cases_in_words(std::size_t count, const std::vector<BestAtLargest>& best) {
  if (best.size() == 1) return best.front().case_name;
  if (count == 2 && best.size() == 2) return "both benchmark cases";
  return count == best.size() ? fmt::format("all {} benchmark cases", count)
                              : fmt::format("{} of {} benchmark cases", count, best.size());
}

std::string sizes_in_words(const BestRange& range) {
  if (range.from_bytes == range.to_bytes) return "at " + format_size(range.from_bytes);
  return fmt::format("from {} to {}", format_size(range.from_bytes), format_size(range.to_bytes));
}

/// "auto is faster than ring from 1K to 8K; no algorithm is significantly faster than ring from 64K to 4M". Empty
/// unless the results are of one benchmark case in which the best value at some size differs from that at the largest.
std::string best_by_size(const CompareResult& comparison, const std::string& best_at_largest) {
  const auto& ranges = comparison.best;
  const bool is_one_case = std::all_of(ranges.begin(), ranges.end(), [&](const BestRange& each) {
    return each.case_name == ranges.front().case_name && each.setting == ranges.front().setting;
  });
  const bool is_other_shown = std::any_of(ranges.begin(), ranges.end(), [&](const BestRange& each) {
    return each.is_shown && each.value != best_at_largest;
  });
  if (!is_one_case || !is_other_shown) return "";
  const auto baseline = name_of_setting(comparison.baseline);
  std::vector<std::string> words;
  for (const auto& range : ranges) {
    const auto sizes = sizes_in_words(range);
    words.push_back(range.is_shown ? fmt::format("{} is faster than {} {}", range.value, baseline, sizes)
                    : range.is_doubted
                        ? fmt::format("undecided {}", sizes)
                        : fmt::format("no {} is significantly faster than {} {}", comparison.by, baseline, sizes));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

/// The claim of the headline. `best` is not empty.
std::string claim(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison) {
  std::vector<double> rates, shares;
  std::set<std::string> shown_names, all_names;
  const BestAtLargest* first_shown = nullptr;
  std::size_t shown_count = 0;
  for (const auto& each : best) {
    rates.push_back(each.busbw_GBps);
    if (each.of_limit_percent) shares.push_back(*each.of_limit_percent);
    all_names.insert(full_name_of(each, comparison));
    if (!each.is_shown) continue;
    shown_names.insert(full_name_of(each, comparison));
    ++shown_count;
    if (first_shown == nullptr) first_shown = &each;
  }
  const auto reach = fmt::format("{} bus bandwidth{}", range_of(rates, "GB/s"),
                                 shares.empty() ? "" : fmt::format(", {} of the link", range_of(shares, "%")));
  const auto at = size_in_words(best), all_cases = cases_in_words(best.size(), best);
  if (!comparison) return fmt::format("{}: {} {}", all_cases, reach, at);
  const auto by_size = best.size() == 1 ? best_by_size(*comparison, best.front().label) : "";
  if (!by_size.empty()) return fmt::format("{}: {}; {} {}", all_cases, by_size, reach, at);
  if (shown_names.empty()) {
    // The best of one measurement may be chance, but anyone who repeats it needs to know the settings.
    const auto leader = all_names.size() == 1 ? fmt::format(", with {},", *all_names.begin()) : "";
    return fmt::format("No {} is clearly the fastest {} for {}: the best result{}{} {} {}", comparison->by, at,
                       all_cases, best.size() == 1 ? "" : "s", leader, best.size() == 1 ? "is" : "are", reach);
  }
  if (shown_names.size() > 1)
    return fmt::format("The fastest {} {} depends on the case ({}): {}", comparison->by, at,
                       fmt::join(shown_names, "; "), reach);
  const auto& name = *shown_names.begin();
  const auto some = cases_in_words(shown_count, best);
  // Each was compared with the baseline, not with the second best.
  const bool is_fastest = comparison->values.size() == 2 || first_shown->label == comparison->baseline;
  if (is_fastest) return fmt::format("{} is the fastest {} {} for {}: {}", name, comparison->by, at, some, reach);
  return fmt::format("{} is the best {} measured {} for {}, significantly faster than {}: {}", name, comparison->by, at,
                     some, name_of_setting(comparison->baseline), reach);
}

}  // namespace

std::vector<BestAtLargest> best_at_largest(const Table& table, const std::vector<std::size_t>& rows,
                                           const std::optional<CompareResult>& comparison,
                                           std::optional<double> limit) {
  const std::string by = comparison ? comparison->by : configuration_column;
  auto columns = case_columns(table);
  columns.insert(columns.end(), {"size_bytes", configuration_column, "network", by});
  const Groups groups(table, rows, columns);
  std::vector<std::size_t> timed;
  for (const auto row : rows) {
    if (!table.is(Schema::link, row) && table.figure(row, "busbw_GBps")) timed.push_back(row);
  }
  const auto varied = varied_settings(table, timed);
  std::map<std::string, std::pair<BestAtLargest, const std::vector<std::size_t>*>> cases;
  for (const auto& group : groups.groups()) {
    const auto row = group.rows.front();
    if (table.is(Schema::link, row)) continue;
    std::vector<double> rates;
    for (const auto each : group.rows) {
      if (const auto rate = table.figure(each, "busbw_GBps")) rates.push_back(*rate);
    }
    if (rates.empty()) continue;
    const double rate = median(rates);
    const auto size = static_cast<std::uint64_t>(table.number("size_bytes")[row]);
    auto& [best, best_rows] = cases[case_of(table, row)];
    const bool is_first = best_rows == nullptr;
    if (!is_first && (size < best.size_bytes || (size == best.size_bytes && rate <= best.busbw_GBps))) continue;
    best_rows = &group.rows;
    best = {.case_name = case_of(table, row),
            .size_bytes = size,
            .label = groups.value(group, columns.size() - 1),
            .setting = setting_in_words(table, row, varied),
            .busbw_GBps = rate,
            .of_limit_percent = limit ? std::optional(100 * rate / *limit) : std::nullopt,
            .against = "",
            .caveats = caveats_of(table, group.rows)};
  }
  std::vector<BestAtLargest> all;
  for (auto& [case_name, found] : cases) {
    auto& [best, best_rows] = found;
    if (comparison) hold_against(*comparison, *best_rows, best);
    all.push_back(std::move(best));
  }
  return all;
}

std::string headline(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison) {
  return best.empty() ? "No collective bandwidth was measured" : claim(best, comparison);
}

std::vector<Caveat> caveats_of(const std::vector<BestAtLargest>& best) {
  std::vector<Caveat> caveats;
  for (const auto& each : best) merge(caveats, each.caveats);
  return caveats;
}

std::string headline(const Links& bandwidths, const Links& latencies) {
  const auto all_of = [](const Links& links) {
    std::vector<double> values;
    for (const auto& matrix : links.launches) {
      for (const auto& row : matrix)
        std::copy_if(row.begin(), row.end(), std::back_inserter(values),
                     [](double value) { return !std::isnan(value); });
    }
    return values;
  };
  std::vector<std::string> words;
  if (const auto rates = all_of(bandwidths); !rates.empty())
    words.push_back(fmt::format("Links reach {} at {}", range_of(rates, "GB/s"), format_size(bandwidths.size_bytes)));
  if (const auto times = all_of(latencies); !times.empty())
    words.push_back(
        fmt::format("{}atency is {} at {} B", words.empty() ? "L" : "l", range_of(times, "us"), latencies.size_bytes));
  for (const auto& slow : slow_links(bandwidths.launches, bandwidths.names)) words.push_back(slow.name + " is slow");
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string headline(const std::vector<TrainingStep>& steps) {
  const auto fastest =
      std::min_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
  constexpr double us_per_ms = 1000;
  std::vector<double> times_ms;
  for (const auto& step : steps) times_ms.push_back(step.time_us / us_per_ms);
  std::set<std::string> scales;
  for (const auto& step : steps) {
    if (!step.scaled.empty()) scales.insert(step.scaled);
  }
  auto text = scales.empty()
                  ? fmt::format("A training step takes {}", range_of(times_ms, "ms"))
                  : fmt::format("A scaled training step ({}) takes {}",
                                scales.size() == 1 ? *scales.begin() : "in several ways", range_of(times_ms, "ms"));
  if (steps.size() > 1 && !fastest->configuration.empty())
    text += fmt::format("; {} is the fastest", fastest->configuration);
  if (fastest->exposed_us)
    text += fmt::format(", with {:.0f} % of it exposed communication", 100 * *fastest->exposed_us / fastest->time_us);
  const bool any_once = std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.launches < 2; });
  if (steps.size() > 1 && any_once) text += " (single launches: others may differ)";
  return text;
}

}  // namespace ringmark::analysis
