// RFC 4180: rows of cells.
#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

using CsvRow = std::vector<std::string>;

/// Thrown for text that is not CSV, and for a cell that is not a valid value of its column.
class CsvError final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line including its line end. Cells are quoted only where necessary. Text that a spreadsheet would run as a
/// formula gets an apostrophe in front, which CsvScanner removes again. Numbers stay as they are.
std::string write_csv(const CsvRow& row);
/// Reads rows one at a time, without copying where nothing is quoted. Empty lines are skipped.
class CsvScanner {
 public:
  explicit CsvScanner(std::string_view text) : text_(text) {}

  /// False at the end. Cells are valid until the next call. Throws CsvError as parse_csv does.
  bool next(std::vector<std::string_view>& row);
  /// The line where the last row began, from 1.
  std::size_t line() const { return row_line_; }
  /// The offset of its first character.
  std::size_t row_begin() const { return row_begin_; }
  /// False if the text ended before the last row's line did; its writer may have been killed.
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
  std::deque<std::string> unquoted_;  ///< cells that contain quotes
  std::size_t unquoted_used_ = 0;
};

/// All rows of a file. Lines end with LF or CRLF; the last one may have no line end. Throws CsvError on an unclosed
/// quote, or on text after a closing quote.
std::vector<CsvRow> parse_csv(std::string_view text);

}  // namespace ringmark
