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

/// Takes all lines of a table in order, and reports those that were rows as left out. Above a row, a line of numbers
/// counts as a damaged row, and so does a line that begins with a missing size of the series. Where the sizes skip a
/// step, any other line counts, too. Below the last row, lines of other programs are expected, so only a line that
/// differs from a row in some words counts.
class TornRows {
 public:
  explicit TornRows(ForeignRows& rows) : rows_(rows) {}

  /// Begins a table whose rows have that many words, of which some are names. The previous one must have ended.
  void begin(std::size_t words, std::size_t names = 0);
  /// A row that was read.
  void row(std::uint64_t bytes);
  /// A line that was not read as a row.
  void other(const LogLine& line);
  /// A row that was recognised by its reader but cannot be read.
  void torn(const LogLine& line, std::string why);
  /// Forgets the table, which is left out as a whole.
  void drop() { is_in_table_ = false; }
  /// Ends the table and reports its damaged rows. Returns the reason if no row was read but some were torn; empty
  /// otherwise.
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
