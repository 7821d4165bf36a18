#include "analysis/compare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "analysis/significance.hpp"
#include "results/comparison.hpp"
#include "transports/errors.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t least_for_bootstrap = 4;

std::set<std::string> values_in(const Table& table, const std::vector<std::size_t>& rows, const std::string& column) {
  std::set<std::string> values;
  const auto categories = table.categories(column);
  std::vector<bool> seen(categories.values.size());
  for (const auto row : rows) seen[categories.ids[row]] = true;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) values.insert(categories.values[i]);
  }
  return values;
}

std::string choose_column(const Table& table, const std::vector<std::size_t>& rows, const std::string& asked) {
  if (!asked.empty()) {
    if (!table.has(asked)) {
      throw BadUsage(fmt::format("--by {}: there is no such column; there are {}", asked,
                                 fmt::join(setting_columns(table), ", ")));
    }
    return asked;
  }
  auto columns = choices(table);
  columns.insert(columns.end(), {"network", "file"});
  for (const auto& column : columns) {
    if (values_in(table, rows, column).size() > 1) return column;
  }
  throw BadUsage(
      "nothing to compare: no setting varies in these rows; give the results of another setting as well, or say --by "
      "COLUMN");
}

std::string choose_baseline(const Table& table, const std::vector<std::size_t>& rows,
                            const std::vector<std::string>& values, const CompareOptions& options,
                            const std::string& by) {
  // Files are compared with the first that was given.
  if (!options.baseline) return by == "file" ? table.text("file")[rows.front()] : values.front();
  if (std::find(values.begin(), values.end(), *options.baseline) != values.end()) return *options.baseline;
  if (values.front().empty() && *options.baseline == shown("")) return "";
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(shown(value));
  throw BadUsage(
      fmt::format("--baseline {}: {} is never that; it is {}", *options.baseline, by, fmt::join(names, ", ")));
}

/// True if the column has one value for each value of `by`: it changes with it, or not at all.
bool goes_along(const Table& table, const std::vector<std::size_t>& rows, const std::string& by,
                const std::string& column, std::vector<std::string>& notes) {
  const auto ours = table.categories(by), theirs = table.categories(column);
  std::map<std::uint32_t, std::uint32_t> partner;
  std::set<std::uint32_t> seen;
  for (const auto row : rows) {
    if (partner.try_emplace(ours.ids[row], theirs.ids[row]).first->second != theirs.ids[row]) return false;
    seen.insert(theirs.ids[row]);
  }
  if (seen.size() < 2) return true;
  std::vector<std::string> words;
  for (const auto& [mine, other] : partner) {
    words.push_back(fmt::format("{} with {}", shown(theirs.values[other]), shown(ours.values[mine])));
  }
  notes.push_back(fmt::format("{} changes too: {}", column, fmt::join(words, ", ")));
  return true;
}

/// Rows of the schemas in which the column varies: links are not held against collectives.
std::vector<std::size_t> comparable_rows(const Table& table, const std::vector<std::size_t>& rows,
                                         const std::string& by) {
  const auto values = table.categories(by);
  const auto& schemas = table.text("schema");
  std::map<std::uint32_t, std::set<std::uint32_t>> seen;
  for (const auto row : rows) seen[schemas.id(row)].insert(values.ids[row]);
  std::vector<std::size_t> some;
  for (const auto row : rows) {
    if (seen[schemas.id(row)].size() > 1) some.push_back(row);
  }
  return some;
}

/// Why two groups may not be compared: different paths under one name. Empty if they may.
std::string path_mismatch(const Table& table, const std::string& by, const Group& ours, const Group& baseline) {
  const auto a = networks_in(table, ours.rows), b = networks_in(table, baseline.rows);
  for (const auto* side : {&a, &b}) {
    if (side->size() > 1) return fmt::format("launches of one setting crossed {}", fmt::join(*side, " and "));
  }
  const auto differs = [&](const char* column) {
    return table.cell(ours.rows.front(), column) != table.cell(baseline.rows.front(), column);
  };
  const bool is_asked = by == "network" || differs("transport") || differs("memory");
  if (is_asked || a.empty() || b.empty() || a == b) return "";
  return fmt::format("one crossed {}, the other {}", *a.begin(), *b.begin());
}

/// A path that is not known is none of those that are compared.
void leave_out_unknown_paths(const Table& table, std::vector<std::size_t>& rows, std::vector<std::string>& notes) {
  const auto& networks = table.text("network");
  const auto left_out = std::erase_if(rows, [&](auto row) { return networks[row].empty(); });
  if (left_out > 0) notes.push_back(fmt::format("what does not tell its network: {} of the rows", left_out));
  if (rows.empty())
    throw BadUsage(
        "nothing to compare: no row tells what network it crossed (METHOD.md says when one can); say --by another "
        "column");
}

void judge(Comparison& comparison, std::uint64_t seed) {
  const auto& [a, b] = std::tie(comparison.times_us, comparison.baseline_us);
  const auto bootstrap = ratio_of_medians(a, b, 0.95, seed);
  comparison.ratio = bootstrap.value;
  comparison.delta = cliffs_delta(a, b);
  if (std::min(a.size(), b.size()) >= least_for_bootstrap) {
    comparison.interval = bootstrap.interval;
  } else {
    comparison.interval = ratio_of(a, b, 0.95).interval;
  }
}

void test_all(std::vector<Comparison>& comparisons, double level) {
  const auto all = static_cast<double>(comparisons.size());
  std::vector<double> p_values;
  for (auto& comparison : comparisons) {
    const auto& [a, b] = std::tie(comparison.times_us, comparison.baseline_us);
    comparison.by_ranks = least_mann_whitney_p(a.size(), b.size()) * all < level;
    p_values.push_back(comparison.by_ranks ? mann_whitney_p(a, b) : ratio_of(a, b, 0.95).p.value_or(1));
  }
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    auto& comparison = comparisons[i];
    comparison.p = corrected[i];
    // Medians and ranks may disagree where launches fall into two heaps: then nothing is shown.
    const bool agrees = (comparison.ratio < 1) == (comparison.delta > 0) && comparison.ratio != 1;
    const bool is_shown = comparison.p < level && agrees;
    // An interval this wide tells nothing of what one would act upon.
    constexpr double wide = 1.25;
    const auto& interval = comparison.interval;
    const bool tells = comparison.by_ranks || (interval && interval->high < wide * interval->low);
    comparison.verdict = is_shown ? (comparison.ratio < 1 ? Verdict::faster : Verdict::slower)
                         : tells  ? Verdict::no_difference
                                  : Verdict::too_few;
  }
}

std::vector<BestRange> best_ranges(const CompareResult& result) {
  struct AtSize {
    const Comparison* best = nullptr;
    std::size_t baseline_row = 0;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, AtSize>> sizes;
  for (const auto& each : result.comparisons) {
    auto& at = sizes[{each.thing, each.setting}][each.size_bytes];
    at.baseline_row = each.baseline_row;
    if (each.verdict != Verdict::faster) continue;
    if (at.best == nullptr || median(each.times_us) < median(at.best->times_us)) at.best = &each;
  }
  std::vector<BestRange> ranges;
  for (const auto& [key, by_size] : sizes) {
    for (const auto& [size, at] : by_size) {
      const auto& value = at.best != nullptr ? at.best->value : result.baseline;
      const bool continues = !ranges.empty() && ranges.back().thing == key.first &&
                             ranges.back().setting == key.second && ranges.back().value == value;
      if (continues) {
        ranges.back().to_bytes = size;
      } else {
        const auto row = at.best != nullptr ? at.best->row : at.baseline_row;
        ranges.push_back({key.first, key.second, size, size, value, row, at.best != nullptr});
      }
    }
  }
  return ranges;
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"faster", "slower", "no difference shown",
                                                  "too few launches to tell"};
  return names[static_cast<std::size_t>(verdict)];
}

CompareResult compare(const Table& table, const std::vector<std::size_t>& all_rows, const CompareOptions& options) {
  if (all_rows.empty()) throw BadUsage("nothing to compare: no row was measured and is usable");
  CompareResult result;
  result.by = choose_column(table, all_rows, options.by);
  auto rows = comparable_rows(table, all_rows, result.by);
  if (rows.empty()) rows = all_rows;
  if (result.by == "network") leave_out_unknown_paths(table, rows, result.refused);
  const auto values = values_in(table, rows, result.by);
  result.values.assign(values.begin(), values.end());
  std::sort(result.values.begin(), result.values.end(), reads_before);
  result.baseline = choose_baseline(table, rows, result.values, options, result.by);
  if (result.values.size() < 2) {
    throw BadUsage(fmt::format("nothing to compare: {} is {} in every usable row", result.by, shown(result.values[0])));
  }

  std::vector<std::string> columns{result.by, "size_bytes"}, settings;
  for (const auto& column : thing_columns()) {
    if (column != result.by) columns.push_back(column);
  }
  for (const auto& column : setting_columns(table)) {
    if (column == result.by) continue;
    if (column == "network" || column == "file") {
      // Not matched on: the path is judged below, and launches may lie in files of their own. Only told.
      if (column == "network") goes_along(table, rows, result.by, column, result.goes_along);
      continue;
    }
    if (!goes_along(table, rows, result.by, column, result.goes_along)) settings.push_back(column);
  }
  const auto first_setting = columns.size();
  columns.insert(columns.end(), settings.begin(), settings.end());
  const Groups groups(table, rows, columns);

  const auto setting_of = [&](const Group& group) {
    std::vector<std::string> words;
    for (std::size_t c = first_setting; c < columns.size(); ++c) {
      const auto& value = groups.value(group, c);
      if (!value.empty() && columns[c] != "program") words.push_back(columns[c] + "=" + value);
    }
    return fmt::format("{}", fmt::join(words, " "));
  };
  // What the baseline never has (an option of another transport) cannot be matched with it.
  std::vector<bool> is_unset(columns.size(), false);
  for (std::size_t c = first_setting; c < columns.size(); ++c) {
    is_unset[c] = std::all_of(groups.groups().begin(), groups.groups().end(), [&](const Group& group) {
      return groups.value(group, 0) != result.baseline || groups.value(group, c).empty();
    });
  }
  const auto matched_key = [&](const Group& group) {
    std::vector<std::uint32_t> key;
    for (std::size_t c = 1; c < columns.size(); ++c) key.push_back(is_unset[c] ? 0 : group.key[c]);
    return key;
  };
  std::map<std::vector<std::uint32_t>, const Group*> baselines;
  std::set<const Group*> alone;
  for (const auto& group : groups.groups()) {
    if (groups.value(group, 0) != result.baseline) continue;
    baselines.emplace(matched_key(group), &group);
    alone.insert(&group);
  }
  result.baseline_groups = baselines.size();
  for (const auto& group : groups.groups()) {
    const auto& value = groups.value(group, 0);
    if (value == result.baseline) continue;
    const auto row = group.rows.front();
    const auto size = static_cast<std::uint64_t>(table.number("size_bytes")[row]);
    const auto called = fmt::format("{} {}, {}={}", thing_of(table, row), format_size(size), result.by, shown(value));
    const auto found = baselines.find(matched_key(group));
    if (found == baselines.end()) {
      result.unmatched.push_back(
          fmt::format("{}: no launch of {}={} matches", called, result.by, shown(result.baseline)));
      continue;
    }
    alone.erase(found->second);
    if (const auto why = path_mismatch(table, result.by, group, *found->second); !why.empty()) {
      result.refused.push_back(fmt::format("{}: {}", called, why));
      continue;
    }
    Comparison comparison{.thing = thing_of(table, row),
                          .setting = setting_of(group),
                          .size_bytes = size,
                          .value = value,
                          .times_us = group.times_us,
                          .baseline_us = found->second->times_us,
                          .row = row,
                          .baseline_row = found->second->rows.front(),
                          .ratio = 1,
                          .interval = {}};
    judge(comparison, result.comparisons.size() + 1);
    result.comparisons.push_back(std::move(comparison));
  }
  for (const auto* group : alone) {
    const auto row = group->rows.front();
    result.unmatched.push_back(fmt::format("{} {}: measured with {}={} only", thing_of(table, row),
                                           format_size(static_cast<std::size_t>(table.number("size_bytes")[row])),
                                           result.by, shown(result.baseline)));
  }
  std::sort(result.comparisons.begin(), result.comparisons.end(), [](const Comparison& a, const Comparison& b) {
    if (std::tie(a.thing, a.setting) != std::tie(b.thing, b.setting)) {
      return std::tie(a.thing, a.setting) < std::tie(b.thing, b.setting);
    }
    return a.value != b.value ? reads_before(a.value, b.value) : a.size_bytes < b.size_bytes;
  });
  test_all(result.comparisons, options.level);
  result.best = best_ranges(result);
  return result;
}

std::string in_words(const Comparison& comparison) {
  const auto launches = fmt::format(" ({} against {})", comparison.times_us.size(), comparison.baseline_us.size());
  if (comparison.verdict == Verdict::too_few) return std::string(name(Verdict::too_few)) + launches;
  if (!comparison.interval) {
    const bool is_shown = comparison.verdict != Verdict::no_difference;
    return (is_shown ? difference_words(comparison.ratio) : std::string(name(comparison.verdict))) + launches;
  }
  if (comparison.verdict != Verdict::no_difference) return with_interval(comparison.ratio, *comparison.interval);
  const auto [low, high] = *comparison.interval;
  return fmt::format("{} ({} to {})", name(comparison.verdict), difference_words(low), difference_words(high));
}

bool is_slower_than(const Comparison& comparison, double percent) {
  return comparison.verdict == Verdict::slower && comparison.ratio > 1 + percent / 100;
}

}  // namespace ringmark::analysis
