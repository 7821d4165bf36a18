#include "analysis/report/headline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/caveats.hpp"
#include "analysis/column_roles.hpp"
#include "analysis/groups.hpp"
#include "base/text_table.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

std::string range_of(const std::vector<double>& values, const char* unit) {
  const Sorted sorted(values);
  const auto low = short_number(sorted.min()), high = short_number(sorted.max());
  return low == high ? fmt::format("{} {}", low, unit) : fmt::format("{} to {} {}", low, high, unit);
}

std::string name_of_setting(const std::string& label) { return label.empty() ? "the default" : label; }

/// Adds the comparison's verdict to the best setting, whose rows these are. The baseline is shown to be the best where
/// all others are shown slower.
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
    const bool is_told = each.verdict == Verdict::faster || each.verdict == Verdict::slower;
    best.against =
        is_told ? fmt::format("{} than {}", in_words(each), name_of_setting(comparison.baseline)) : in_words(each);
    best.is_shown = each.verdict == Verdict::faster;
  }
  if (best.label == comparison.baseline) best.is_shown = others > 0 && slower == others;
  if (!forbid_decision(best.caveats)) return;
  best.is_shown = false;
  if (!best.against.empty()) best.against += fmt::format(", in doubt: {}", ringmark::in_words(best.caveats));
}

/// The claim of the headline. `best` is not empty.
std::string claim(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison) {
  std::vector<double> rates, shares;
  std::set<std::string> shown;
  std::size_t shown_count = 0;
  for (const auto& each : best) {
    rates.push_back(each.busbw_GBps);
    if (each.of_limit_percent) shares.push_back(*each.of_limit_percent);
    if (each.is_shown) shown.insert(each.label), ++shown_count;
  }
  const auto limit = shares.empty() ? "" : fmt::format(", {} of what a link carries", range_of(shares, "%"));
  const auto things = best.size() == 1 ? best[0].thing : fmt::format("all {} things measured", best.size());
  if (!comparison)
    return fmt::format("At the largest size {} reach{} a busbw of {}{}", things, best.size() == 1 ? "es" : "",
                       range_of(rates, "GB/s"), limit);
  if (shown.empty()) {
    return fmt::format("No {} is shown to be the fastest at the largest size: the best reach {}{}", comparison->by,
                       range_of(rates, "GB/s"), limit);
  }
  if (shown.size() == 1) {
    const auto some =
        shown_count == best.size() ? things : fmt::format("{} of {} things measured", shown_count, best.size());
    // Each was compared with the baseline, not with the second best.
    const auto claim =
        comparison->values.size() == 2 || *shown.begin() == comparison->baseline
            ? fmt::format("{} is the fastest {}", name_of_setting(*shown.begin()), comparison->by)
            : fmt::format("{} is the best {} measured, shown faster than {}", name_of_setting(*shown.begin()),
                          comparison->by, name_of_setting(comparison->baseline));
    return fmt::format("{} at the largest size, for {}; the best reach {}{}", claim, some, range_of(rates, "GB/s"),
                       limit);
  }
  std::vector<std::string> words;
  for (const auto& label : shown) words.push_back(name_of_setting(label));
  return fmt::format("Which {} is the fastest depends on the collective ({}); the best reach {}{}", comparison->by,
                     fmt::join(words, ", "), range_of(rates, "GB/s"), limit);
}

}  // namespace

std::vector<BestAtLargest> best_at_largest(const Table& table, const std::vector<std::size_t>& rows,
                                           const std::optional<CompareResult>& comparison,
                                           std::optional<double> limit) {
  const std::string by = comparison ? comparison->by : configuration_column;
  auto columns = thing_columns(table);
  columns.insert(columns.end(), {"size_bytes", configuration_column, "network", by});
  const Groups groups(table, rows, columns);
  std::map<std::string, std::pair<BestAtLargest, const std::vector<std::size_t>*>> things;
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
    auto& [best, best_rows] = things[thing_of(table, row)];
    const bool is_first = best_rows == nullptr;
    if (!is_first && (size < best.size_bytes || (size == best.size_bytes && rate <= best.busbw_GBps))) continue;
    best_rows = &group.rows;
    best = {.thing = thing_of(table, row),
            .size_bytes = size,
            .label = groups.value(group, columns.size() - 1),
            .busbw_GBps = rate,
            .of_limit_percent = limit ? std::optional(100 * rate / *limit) : std::nullopt,
            .against = "",
            .caveats = caveats_of(table, group.rows)};
  }
  std::vector<BestAtLargest> all;
  for (auto& [thing, found] : things) {
    auto& [best, best_rows] = found;
    if (comparison) hold_against(*comparison, *best_rows, best);
    all.push_back(std::move(best));
  }
  return all;
}

std::string headline(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison) {
  std::vector<Caveat> caveats;
  for (const auto& each : best) merge(caveats, each.caveats);
  const auto doubt = in_words(caveats);
  if (best.empty()) return "No bandwidth of a collective was measured";
  return claim(best, comparison) + (doubt.empty() ? "" : fmt::format(". Note: {}", doubt));
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
    words.push_back(fmt::format("Links carry {} at {}", range_of(rates, "GB/s"), format_size(bandwidths.size_bytes)));
  if (const auto times = all_of(latencies); !times.empty())
    words.push_back(
        fmt::format("{}atency is {} at {} B", words.empty() ? "L" : "l", range_of(times, "us"), latencies.size_bytes));
  for (const auto& slow : slow_links(bandwidths.launches, bandwidths.names))
    words.push_back(fmt::format("{} is slow: {}", slow.name, slow.evidence));
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
                  : fmt::format("A training step that was scaled ({}) takes {}",
                                scales.size() == 1 ? *scales.begin() : "in several ways", range_of(times_ms, "ms"));
  if (steps.size() > 1 && !fastest->configuration.empty())
    text += fmt::format("; {} has the shortest", fastest->configuration);
  if (fastest->exposed_us)
    text += fmt::format(", with {:.0f} % of it exposed communication", 100 * *fastest->exposed_us / fastest->time_us);
  const bool any_once = std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.launches < 2; });
  if (steps.size() > 1 && any_once) text += " (of single launches: another may differ)";
  return text;
}

}  // namespace ringmark::analysis
