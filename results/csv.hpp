// RFC 4180: rows of cells.
#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

using CsvRow = std::vector<std::string>;

/// A text that is not CSV, or a cell that its column cannot hold.
class CsvError final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line with its line end. A cell is quoted only where it must be. An apostrophe is put before a text that a
/// spreadsheet would run as a formula; CsvScanner takes it away again. Numbers stay as they are.
std::string write_csv(const CsvRow& row);
/// Rows one after another, of any number, without copies where nothing is quoted. Empty lines are no rows.
class CsvScanner {
 public:
  explicit CsvScanner(std::string_view text) : text_(text) {}

  /// False at the end. Cells are valid until the next call. Throws CsvError as parse_csv.
  bool next(std::vector<std::string_view>& row);
  /// Where the last row began, from 1.
  std::size_t line() const { return row_line_; }
  /// Offset of its first character.
  std::size_t row_begin() const { return row_begin_; }
  /// False if the text ended before the last row's line did: its writer may have been killed.
  bool is_finished() const { return finished_; }

 private:
  bool is_line_end() const {
    return text_[at_] == '\n' || (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n');
  }
  void skip_line_end();
  std::string_view quoted_cell();

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, row_line_ = 1, row_begin_ = 0;
  bool finished_ = true;
  std::deque<std::string> unquoted_;  ///< cells with quotes within
  std::size_t unquoted_used_ = 0;
};

/// All rows of a file. Lines end with LF or CRLF, the last one perhaps with neither. Throws CsvError on a quote that is
/// not closed, or text after a closing quote.
std::vector<CsvRow> parse_csv(std::string_view text);

}  // namespace ringmark
