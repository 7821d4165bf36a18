// Records as rows of CSV. ResultFile is the only reader of result files, for records and for the analysis' tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/files/csv.hpp"
#include "results/files/impossible_values.hpp"
#include "results/schema/columns.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

/// The columns of the contract, then `extra`: the schema's own and a sweep's variables.
CsvRow record_header(const std::vector<std::string>& extra = {});
/// Cells for that header; a column that the record lacks is empty.
CsvRow to_csv(const Record& record, const std::vector<std::string>& extra = {});

/// What to do about a contract column that a table lacks.
enum class LackingColumn {
  is_error,
  is_blank,  ///< as in an empty record
};

class ResultFile {
 public:
  /// Reads the header. `text` must outlive this; `name` is the file's name for messages, which say "line 3" without it.
  /// Throws CsvError for columns that are missing, unnamed or duplicated.
  explicit ResultFile(std::string_view text, std::string name = {}, LackingColumn lacking = LackingColumn::is_error);

  const std::vector<std::string>& header() const { return header_; }
  /// The schema's column at an index of the header; null for a sweep's variable, and for columns of replay/1 and
  /// link/1.
  const Column* contract_column(std::size_t place) const { return columns_[place]; }
  /// True if the file was written before the schema had all columns of the contract; see earlier_rows.hpp.
  bool is_of_earlier_revision() const { return is_earlier_; }

  /// Reads the next row; false at the end. Throws CsvError for a row of a different length, for an unknown schema, and
  /// for values that cannot be true.
  bool next();
  /// Valid until the next call of next().
  const std::vector<std::string_view>& cells() const { return cells_; }
  Schema schema() const { return schema_; }
  std::size_t line() const { return scanner_.line(); }
  /// The record in the row. Columns outside the contract and the schema become `extra`. Throws CsvError.
  Record record() const;
  /// Describes a last line that was cut off, whose writer may have been killed; it is not among the rows. Empty if the
  /// file is complete.
  const std::string& cut_off() const { return cut_off_; }

  /// Throws CsvError with the position of the row and the column.
  [[noreturn]] void refuse(std::string_view column, std::string_view why) const;

 private:
  std::string where() const;
  bool scan();
  void check_header();
  void check_schema();

  std::string_view text_;
  std::string name_;
  LackingColumn lacking_;
  CsvScanner scanner_;
  std::vector<std::string> header_;
  std::vector<const Column*> columns_;
  ImpossibleValues impossible_{{}};
  std::vector<std::string_view> cells_;
  bool is_earlier_ = false;
  Schema schema_ = Schema::collective;
  std::string schema_text_, cut_off_;
};

/// All rows of a table with a header. Throws CsvError with line and column, including for a cut-off last line.
std::vector<Record> read_records(std::string_view text, LackingColumn lacking = LackingColumn::is_error);

}  // namespace ringmark
