// Lines of the sheet Assumptions: words, values, and named cells that a planner may change.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

class AssumptionLines {
 public:
  /// A line, by the scenario's key, and where its value comes from.
  struct Line {
    std::string key, unit, source, note{};
  };

  explicit AssumptionLines(Sheet sheet) : sheet_(sheet) { sheet_.hide_column(in_changed); }

  /// Repeated on every page.
  void heading();
  void title(const std::string& words);
  void text(const std::string& words, Style style = Style::plain);

  /// Values that no formula depends on.
  void state(const Line& line, const std::string& value);
  void state(const Line& line, double value, const Interval& range = {1, 1});
  void state(const std::string& words, const Line& line, double value);

  /// Cells that may be changed. Each function returns the name of its cell.
  std::string assume(const Line& line, double now, const std::string& cluster = "");
  /// With cells for low and high values, which may be empty; they reject values that are not in order.
  std::string assume(const Line& line, double now, const Interval& range, const std::string& cluster,
                     CellNames::Ends& ends);
  /// A date, which may be empty.
  std::string assume_day(const Line& line, const std::optional<double>& now);
  std::string choose(const Line& line, const std::string& cluster, const std::vector<std::string>& choices);
  /// An expression for the number of lines so far whose value differs from the plan.
  std::string changes() const;
  /// A cell that is computed from others.
  std::string compute(const Line& line, const std::string& formula, double now, const std::string& cluster);

 private:
  enum Column : std::size_t { in_words, in_value, in_low, in_high, first_words, in_changed = first_words + 4 };

  void describe(const std::string& words, const Line& line);
  void describe(const Line& line);
  std::string unique_name(const std::string& what, const std::string& of);
  /// Defines a name for a cell of the current line.
  std::string named(const std::string& what, const std::string& of, Column column);
  /// Ends the line, and returns the name of its cell.
  std::string end(const Line& line, const std::string& cluster);
  void keep_order(Column column, const std::string& from, const std::string& to);
  /// Rejects what a scenario rejects, except 0 for keys where it means none.
  void restrict_input(const Line& line);
  /// Writes a hidden cell that is 1 if `is_as_planned` is false, or else 0.
  void note_change(const std::string& is_as_planned);

  Sheet sheet_;
  std::size_t line_ = 0;
  std::set<std::string> names_;
};

}  // namespace ringmark::analysis
