#include "analysis/table/where.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

struct Range {
  double least, most;
};

/// "64K", "64K..16M", "1M..", "..4"; nothing if it is none of these.
std::optional<Range> range_in(std::string_view text) {
  constexpr auto unbounded = std::numeric_limits<double>::infinity();
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto exactly = parse_figure(text);
    return exactly ? std::optional(Range{*exactly, *exactly}) : std::nullopt;
  }
  const auto from = text.substr(0, dots), to = text.substr(dots + 2);
  const auto least = from.empty() ? -unbounded : parse_figure(from), most = to.empty() ? unbounded : parse_figure(to);
  if (!least || !most || (from.empty() && to.empty())) return std::nullopt;
  return Range{*least, *most};
}

/// One value that a condition accepts.
struct Choice {
  std::string text;
  std::optional<Range> range;

  bool holds(const std::string& cell) const {
    if (text == (cell.empty() ? unset : cell)) return true;
    const auto figure = range ? parse_figure(cell) : std::nullopt;
    return figure && *figure >= range->least && *figure <= range->most;
  }
};

/// "COLUMN=VALUE[,VALUE...]" of a table's rows.
class Condition {
 public:
  Condition(const Table& table, const std::string& text) : text_(text) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      fail("give COLUMN=VALUE, or several values separated by commas");
    column_ = text.substr(0, equals);
    if (!table.has(column_)) {
      auto known = table.extra_columns();
      known.insert(known.begin(), {"transport", "collective", "algorithm", "datatype", "op", "ranks", "size_bytes"});
      fail(fmt::format("unknown column {}; available: {}, and the columns in results/README.md", column_,
                       fmt::join(known, ", ")));
    }
    is_of_figures_ = table.is_number(column_);
    cells_ = table.categories(column_);
    add_choices(text.substr(equals + 1));
  }

  /// The rows that meet it. Throws BadUsage if no row has one of its values, so that a typo cannot drop one side of a
  /// comparison.
  std::vector<std::size_t> rows() const {
    std::vector<bool> meets(cells_.values.size());
    for (const auto& choice : choices_) {
      const auto held = cells_with(choice);
      if (std::none_of(cells_.ids.begin(), cells_.ids.end(), [&](auto id) { return held[id]; }))
        fail(fmt::format("no selected row has {} '{}'; available: {}", column_, choice.text, what_there_is()));
      for (std::size_t id = 0; id < held.size(); ++id) meets[id] = meets[id] || held[id];
    }
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < cells_.ids.size(); ++row) {
      if (meets[cells_.ids[row]]) rows.push_back(row);
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw BadUsage(fmt::format("--where {}: {}", text_, why)); }

  void add_choices(const std::string& values) {
    // A setting may itself be a comma-separated list, of devices or algorithms. In a contract column, such a list is
    // what a failed launch was meant to measure.
    const bool may_be_one = values.find(',') != std::string::npos && !is_contract_column(column_);
    if (may_be_one && std::find(cells_.values.begin(), cells_.values.end(), values) != cells_.values.end()) {
      choices_.push_back({values, std::nullopt});
      return;
    }
    for (std::size_t begin = 0; begin <= values.size();) {
      const auto end = std::min(values.find(',', begin), values.size());
      add_choice(values.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  void add_choice(const std::string& value) {
    if (value.empty()) fail("a value is empty; to match empty cells, give unset");
    const auto range = range_in(value);
    if (is_of_figures_ && !range && value != unset)
      fail(fmt::format("'{}' is neither a number nor a range; give 4, 64K, 64K..16M or 64K..", value));
    if (range && range->least > range->most) fail(fmt::format("{}: the start exceeds the end", value));
    choices_.push_back({value, range});
  }

  /// For each of the column's values, whether the choice accepts it.
  std::vector<bool> cells_with(const Choice& choice) const {
    std::vector<bool> held(cells_.values.size());
    std::transform(cells_.values.begin(), cells_.values.end(), held.begin(),
                   [&](const auto& cell) { return choice.holds(cell); });
    return held;
  }

  /// The values to choose from: "Ring, Tree".
  std::string what_there_is() const {
    constexpr std::size_t enough = 12;
    std::vector<bool> occurs(cells_.values.size());
    for (const auto id : cells_.ids) occurs[id] = true;
    std::vector<std::string_view> shown;
    for (std::size_t id = 0; id < occurs.size(); ++id) {
      if (occurs[id]) shown.push_back(cells_.values[id].empty() ? unset : std::string_view(cells_.values[id]));
    }
    const bool cut = shown.size() > enough;
    if (cut) shown.resize(enough);
    return fmt::format("{}{}", fmt::join(shown, ", "), cut ? ", …" : "");
  }

  std::string text_, column_;
  bool is_of_figures_ = false;
  Categories cells_;
  std::vector<Choice> choices_;
};

}  // namespace

void keep_where(Table& table, const std::vector<std::string>& conditions) {
  std::map<std::string, std::string> asked;
  for (const auto& condition : conditions) {
    const auto equals = std::min(condition.find('='), condition.size());
    const auto column = condition.substr(0, equals), values = condition.substr(std::min(equals + 1, condition.size()));
    const auto [before, is_new] = asked.emplace(column, values);
    if (!is_new)
      throw BadUsage(
          fmt::format("--where {}: {} is given twice, and rows must meet both conditions; to accept either, give "
                      "{}={},{}",
                      condition, column, column, before->second, values));
  }
  for (const auto& condition : conditions) table.keep(Condition(table, condition).rows());
}

}  // namespace ringmark::analysis
