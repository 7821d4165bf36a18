#include "analysis/compare/matching.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/question.hpp"
#include "analysis/compare/slowdowns.hpp"
#include "analysis/table/caveats.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/units.hpp"
#include "results/schema/columns.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::analysis {
namespace {

/// True if the column has one value for each value of `by`: the two change together, or the column does not vary.
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

/// Why two groups may not be compared. Empty if they may.
std::string mismatch(const Table& table, const std::string& by, const Group& ours, const Group& baseline) {
  const auto differs = [&](const char* column) {
    return table.cell(ours.rows.front(), column) != table.cell(baseline.rows.front(), column);
  };
  return path_mismatch(networks_in(table, ours.rows), networks_in(table, baseline.rows),
                       by == "network" || differs("transport") || differs("memory"));
}

/// Pairs each group of rows with the baseline group that matches it in everything else.
class Matcher {
 public:
  Matcher(const Table& table, const std::vector<std::size_t>& rows, Matches& result, bool any_version)
      : table_(table),
        any_version_(any_version),
        matching_(result.matching),
        pairs_(result.pairs),
        only_in_baseline_(result.only_in_baseline),
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
      only_in_baseline_.push_back(
          fmt::format("{}: measured only with {}={}", called(*group), matching_.by, shown(matching_.baseline)));
    }
  }

 private:
  std::vector<std::string> columns_of_the_thing() const {
    std::vector<std::string> columns{matching_.by, "size_bytes"};
    for (const auto& column : case_columns(table_)) {
      if (column != matching_.by) columns.push_back(column);
    }
    return columns;
  }

  const std::vector<std::string>& add_settings(const std::vector<std::size_t>& rows) {
    for (const auto& column : setting_columns(table_)) {
      if (column == matching_.by || column == "file") continue;  // each launch may have its own file
      if (any_version_ && role_of(column) == Role::library_version) {
        goes_along(table_, rows, matching_.by, column, matching_.goes_along);
        continue;
      }
      // mismatch() checks the path of each pair.
      if (is_held_equal(rows, column) && column != "network") columns_.push_back(column);
    }
    return columns_;
  }

  /// Configurations that ran on different devices, or different models, are never compared.
  bool is_held_equal(const std::vector<std::size_t>& rows, const std::string& column) {
    if (matching_.by == configuration_column && !is_choice(column)) return values_in(table_, rows, column).size() > 1;
    return !goes_along(table_, rows, matching_.by, column, matching_.goes_along);
  }

  bool is_baseline(const Group& group) const { return groups_.value(group, 0) == matching_.baseline; }

  /// A column that the baseline never has (an option of another transport) cannot be matched.
  void find_unset() {
    is_unset_.resize(columns_.size(), false);
    for (std::size_t c = first_setting_; c < columns_.size(); ++c) {
      is_unset_[c] = std::all_of(groups_.groups().begin(), groups_.groups().end(), [&](const Group& group) {
        return !is_baseline(group) || groups_.value(group, c).empty();
      });
    }
  }

  /// True for a column in which the two sides may differ.
  bool is_free(std::size_t column) const {
    return is_unset_[column] || (matching_.by == beside_column && changes_beside_others(columns_[column]));
  }

  std::vector<std::uint32_t> matched_key(const Group& group) const {
    std::vector<std::uint32_t> key;
    for (std::size_t c = 1; c < columns_.size(); ++c) key.push_back(is_free(c) ? 0 : group.key[c]);
    return key;
  }

  std::uint64_t size_bytes(const Group& group) const {
    return static_cast<std::uint64_t>(table_.number("size_bytes")[group.rows.front()]);
  }
  std::string called(const Group& group) const {
    return fmt::format("{} {}", case_of(table_, group.rows.front()), format_size(size_bytes(group)));
  }
  std::string setting_of(const Group& group) const {
    std::vector<std::string> words;
    for (std::size_t c = first_setting_; c < columns_.size(); ++c) {
      const auto& value = groups_.value(group, c);
      if (!value.empty() && columns_[c] != "program") words.push_back(columns_[c] + "=" + value);
    }
    return fmt::format("{}", fmt::join(words, " "));
  }

  /// "; the nearest has algorithm ring, not tree": how the most similar group of the baseline differs.
  std::string nearest_differs_in(const Group& group) const {
    // A few explanations are enough; explaining many groups would take too long.
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
    const auto value = [&](const Group& of, std::size_t c) {
      const auto& cell = groups_.value(of, c);
      return columns_[c] == "nodes" && cell == "0" ? "unknown (give --nodes)" : shown(cell);
    };
    std::vector<std::string> words;
    for (const auto c : least)
      words.push_back(fmt::format("{} {}, not {}", columns_[c], value(*nearest, c), value(group, c)));
    return fmt::format("; the nearest has {}", fmt::join(words, ", "));
  }

  std::set<std::string> algorithms_of(const Group& group) const {
    std::set<std::string> algorithms;
    for (const auto row : group.rows) algorithms.insert(table_.text("algorithm_used")[row]);
    return algorithms;
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
      pairs_.push_back({.case_name = case_of(table_, group.rows.front()),
                        .setting = setting_of(group),
                        .size_bytes = size_bytes(group),
                        .value = value,
                        .times_us = group.times_us,
                        .baseline_us = baseline.times_us,
                        .row = group.rows.front(),
                        .baseline_row = baseline.rows.front(),
                        .caveats = caveats_of(table_, group.rows),
                        .baseline_caveats = caveats_of(table_, baseline.rows),
                        .algorithms_used = algorithms_of(group),
                        .baseline_algorithms_used = algorithms_of(baseline)});
      if (matching_.by == beside_column) count_rounds(table_, group, baseline, pairs_.back());
    }
    return &baseline;
  }

  const Table& table_;
  bool any_version_;
  Matching& matching_;
  std::vector<MatchedPair>& pairs_;
  std::vector<std::string>& only_in_baseline_;
  /// The compared column, the columns of the case, and from first_setting_ on the settings.
  std::vector<std::string> columns_;
  std::size_t first_setting_;
  Groups groups_;
  std::vector<bool> is_unset_;  ///< by column: empty in every group of the baseline
  std::map<std::vector<std::uint32_t>, const Group*> baselines_;
};

}  // namespace

std::vector<Caveat> MatchedPair::all_caveats() const {
  auto all = caveats;
  merge(all, baseline_caveats);
  return all;
}

Matches match(const Table& table, const std::vector<std::size_t>& rows, const std::string& by,
              const std::optional<std::string>& baseline, bool slowdowns_first, bool any_version) {
  Matches result;
  auto& matching = result.matching;
  auto question = question_about(table, rows, by, baseline, slowdowns_first);
  matching.by = std::move(question.by);
  matching.baseline = std::move(question.baseline);
  matching.values = std::move(question.values);
  matching.refused = std::move(question.refused);
  Matcher(table, question.rows, result, any_version).run();
  return result;
}

}  // namespace ringmark::analysis
