// RFC 4180: rows of cells, and Records as rows.
#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

using CsvRow = std::vector<std::string>;

/// Names the line (from 1) and, if it concerns one, the column.
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

/// The columns of the contract, then `extra`: those of the schema and a sweep's variables.
CsvRow record_header(const std::vector<std::string>& extra = {});
/// Cells for that header; a column that the record does not have is empty.
CsvRow to_csv(const Record& record, const std::vector<std::string>& extra = {});
/// `row` has at least the columns of the contract, in any order, named by `header`. Columns that are neither the
/// contract's nor the schema's become `extra`. Throws CsvError with the line and the column.
Record from_csv(const CsvRow& header, const CsvRow& row, std::size_t line);

/// Throws CsvError if the column of the contract cannot hold the cell.
void check_cell(std::string_view column, std::string_view cell);

/// The treatment of a contract column that a table lacks.
enum class LackingColumn {
  is_error,
  is_blank,  ///< as in an empty record
};
/// All rows of a table with a header. Throws CsvError with line and column.
std::vector<Record> read_records(std::string_view text, LackingColumn lacking = LackingColumn::is_error);

}  // namespace ringmark
