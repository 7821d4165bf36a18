#include "analysis/matching.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"
#include "results/column_kinds.hpp"
#include "results/comparison.hpp"

namespace ringmark::analysis {
namespace {

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
                            const std::vector<std::string>& values, const std::optional<std::string>& asked,
                            const std::string& by) {
  // Files are compared with the first that was given.
  if (!asked && by == "file") return table.text("file")[rows.front()];
  if (!asked) {
    const auto* told = table.default_of(by);
    return told != nullptr && std::find(values.begin(), values.end(), *told) != values.end() ? *told : values.front();
  }
  if (std::find(values.begin(), values.end(), *asked) != values.end()) return *asked;
  if (values.front().empty() && *asked == shown("")) return "";
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(shown(value));
  throw BadUsage(fmt::format("--baseline {}: {} is never that; it is {}", *asked, by, fmt::join(names, ", ")));
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

/// Why two groups may not be compared. Empty if they may.
std::string mismatch(const Table& table, const std::string& by, const Group& ours, const Group& baseline) {
  const auto differs = [&](const char* column) {
    return table.cell(ours.rows.front(), column) != table.cell(baseline.rows.front(), column);
  };
  return path_mismatch(networks_in(table, ours.rows), networks_in(table, baseline.rows),
                       by == "network" || differs("transport") || differs("memory"));
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

/// Pairs each group of rows with the one of the baseline that differs from it in nothing else.
class Matcher {
 public:
  Matcher(const Table& table, const std::vector<std::size_t>& rows, Matches& result)
      : table_(table),
        matching_(result.matching),
        pairs_(result.pairs),
        columns_(columns_of_the_thing()),
        first_setting_(columns_.size()),
        groups_(table, rows, add_settings(rows)) {}

  void run() {
    find_unset();
    std::set<const Group*> alone;
    for (const auto& group : groups_.groups()) {
      if (!is_baseline(group)) continue;
      baselines_.emplace(matched_key(group), &group);
      alone.insert(&group);
    }
    matching_.baseline_groups = baselines_.size();
    for (const auto& group : groups_.groups()) {
      if (!is_baseline(group)) alone.erase(hold_against_baseline(group));
    }
    for (const auto* group : alone) {
      matching_.unmatched.push_back(
          fmt::format("{}: measured with {}={} only", called(*group), matching_.by, shown(matching_.baseline)));
    }
  }

 private:
  std::vector<std::string> columns_of_the_thing() const {
    std::vector<std::string> columns{matching_.by, "size_bytes"};
    for (const auto& column : thing_columns()) {
      if (column != matching_.by) columns.push_back(column);
    }
    return columns;
  }

  const std::vector<std::string>& add_settings(const std::vector<std::size_t>& rows) {
    for (const auto& column : setting_columns(table_)) {
      if (column == matching_.by || column == "file") continue;  // launches may lie in files of their own
      // The path is judged pair by pair.
      if (is_held_equal(rows, column) && column != "network") columns_.push_back(column);
    }
    return columns_;
  }

  /// Configurations that ran on different devices, or different models, are never held against each other.
  bool is_held_equal(const std::vector<std::size_t>& rows, const std::string& column) {
    if (matching_.by == configuration_column && !is_choice(column)) return values_in(table_, rows, column).size() > 1;
    return !goes_along(table_, rows, matching_.by, column, matching_.goes_along);
  }

  bool is_baseline(const Group& group) const { return groups_.value(group, 0) == matching_.baseline; }

  /// What the baseline never has (an option of another transport) cannot be matched with it.
  void find_unset() {
    is_unset_.resize(columns_.size(), false);
    for (std::size_t c = first_setting_; c < columns_.size(); ++c) {
      is_unset_[c] = std::all_of(groups_.groups().begin(), groups_.groups().end(), [&](const Group& group) {
        return !is_baseline(group) || groups_.value(group, c).empty();
      });
    }
  }

  std::vector<std::uint32_t> matched_key(const Group& group) const {
    std::vector<std::uint32_t> key;
    for (std::size_t c = 1; c < columns_.size(); ++c) key.push_back(is_unset_[c] ? 0 : group.key[c]);
    return key;
  }

  std::uint64_t size_bytes(const Group& group) const {
    return static_cast<std::uint64_t>(table_.number("size_bytes")[group.rows.front()]);
  }
  std::string called(const Group& group) const {
    return fmt::format("{} {}", thing_of(table_, group.rows.front()), format_size(size_bytes(group)));
  }
  std::string setting_of(const Group& group) const {
    std::vector<std::string> words;
    for (std::size_t c = first_setting_; c < columns_.size(); ++c) {
      const auto& value = groups_.value(group, c);
      if (!value.empty() && columns_[c] != "program") words.push_back(columns_[c] + "=" + value);
    }
    return fmt::format("{}", fmt::join(words, " "));
  }

  /// "; the nearest has nodes 0, not 4": in what the baseline's most similar group is another.
  std::string nearest_differs_in(const Group& group) const {
    // A few tell why; of many it would take long.
    constexpr std::size_t most_explained = 50;
    if (matching_.unmatched.size() >= most_explained) return "";
    const auto key = matched_key(group);
    std::vector<std::size_t> least;
    const Group* nearest = nullptr;
    for (const auto& [other, baseline] : baselines_) {
      std::vector<std::size_t> differing;
      for (std::size_t c = 0; c < key.size(); ++c) {
        if (key[c] != other[c]) differing.push_back(c + 1);
      }
      if (nearest == nullptr || differing.size() < least.size()) nearest = baseline, least = std::move(differing);
    }
    if (nearest == nullptr) return "";
    std::vector<std::string> words;
    for (const auto c : least)
      words.push_back(
          fmt::format("{} {}, not {}", columns_[c], shown(groups_.value(*nearest, c)), shown(groups_.value(group, c))));
    return fmt::format("; the nearest has {}", fmt::join(words, ", "));
  }

  /// The baseline's group that matches; null if none does.
  const Group* hold_against_baseline(const Group& group) {
    const auto& value = groups_.value(group, 0);
    const auto words = fmt::format("{}, {}={}", called(group), matching_.by, shown(value));
    const auto found = baselines_.find(matched_key(group));
    if (found == baselines_.end()) {
      matching_.unmatched.push_back(fmt::format("{}: no launch of {}={} matches{}", words, matching_.by,
                                                shown(matching_.baseline), nearest_differs_in(group)));
      return nullptr;
    }
    const auto& baseline = *found->second;
    if (const auto why = mismatch(table_, matching_.by, group, baseline); !why.empty()) {
      matching_.refused.push_back(fmt::format("{}: {}", words, why));
    } else {
      pairs_.push_back({.thing = thing_of(table_, group.rows.front()),
                        .setting = setting_of(group),
                        .size_bytes = size_bytes(group),
                        .value = value,
                        .times_us = group.times_us,
                        .baseline_us = baseline.times_us,
                        .row = group.rows.front(),
                        .baseline_row = baseline.rows.front()});
    }
    return &baseline;
  }

  const Table& table_;
  Matching& matching_;
  std::vector<MatchedPair>& pairs_;
  std::vector<std::string>
      columns_;  ///< the one compared by, what tells the thing, and from first_setting_ on settings
  std::size_t first_setting_;
  Groups groups_;
  std::vector<bool> is_unset_;  ///< by column: wherever the baseline was measured
  std::map<std::vector<std::uint32_t>, const Group*> baselines_;
};

}  // namespace

Matches match(const Table& table, const std::vector<std::size_t>& all_rows, const std::string& by,
              const std::optional<std::string>& baseline) {
  if (all_rows.empty()) throw BadUsage("nothing to compare: no row was measured and is usable");
  Matches result;
  auto& matching = result.matching;
  matching.by = choose_column(table, all_rows, by);
  auto rows = comparable_rows(table, all_rows, matching.by);
  if (rows.empty()) rows = all_rows;
  if (matching.by == "network") leave_out_unknown_paths(table, rows, matching.refused);
  const auto values = values_in(table, rows, matching.by);
  matching.values.assign(values.begin(), values.end());
  std::sort(matching.values.begin(), matching.values.end(), reads_before);
  matching.baseline = choose_baseline(table, rows, matching.values, baseline, matching.by);
  if (matching.values.size() < 2) {
    throw BadUsage(
        fmt::format("nothing to compare: {} is {} in every usable row", matching.by, shown(matching.values[0])));
  }
  Matcher(table, rows, result).run();
  return result;
}

}  // namespace ringmark::analysis
