// Lines of a table that were rows before something damaged them: garbage in a file, or another process's output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {

/// Gets all lines of a table in their order, and reports those that were rows as left out. Rows stand below one
/// another, so above one of them a line of numbers is one, and so is a line that begins with a size of the series that
/// the others are. Any other line is, too, where the sizes skip a step. Below the last row, lines of other programs are
/// expected, and only a line that differs from a row in some words counts.
class TornRows {
 public:
  explicit TornRows(ForeignRows& rows) : rows_(rows) {}

  /// Begins a table whose rows have that many words, of which some are names. The one before has to have ended.
  void begin(std::size_t words, std::size_t names = 0);
  /// A row that was read.
  void row(std::uint64_t bytes);
  /// A line that was not.
  void other(const LogLine& line);
  /// A row that was recognised by its reader but cannot be read.
  void torn(const LogLine& line, std::string why);
  /// Forgets the table, which is left out as a whole.
  void drop() { is_in_table_ = false; }
  /// Reports. Returns the reason if the table has no row that was read, but some that were torn; empty otherwise.
  std::string end();

 private:
  struct Line {
    std::size_t number;
    std::string text;
    std::string why;  ///< of a row that was recognised
  };
  /// The lines in front of a row, with the sizes around them.
  struct Gap {
    std::vector<Line> lines;
    std::uint64_t bytes_above = 0, bytes_below = 0;  ///< 0 without a row, or if its size is unknown
  };
  bool may_be_row(const Words& words, const Gap& gap) const;
  bool may_end_table(const Words& words, const Gap& gap) const;
  bool is_in_series(const Words& words, const Gap& gap) const;
  double usual_step() const;
  void report(const Gap& gap);

  ForeignRows& rows_;
  bool is_in_table_ = false;
  std::size_t words_ = 0, names_ = 0;
  double step_ = 0;        ///< the usual ratio of sizes
  std::vector<Gap> gaps_;  ///< one for each row, and one below them
  std::string first_torn_;
};

}  // namespace ringmark::analysis
