// Records as rows of CSV. ResultFile is the one reader of result files, for records and for the analysis' tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/csv.hpp"
#include "results/record.hpp"
#include "results/schema/columns.hpp"

namespace ringmark {

/// The columns of the contract, then `extra`: those of the schema and a sweep's variables.
CsvRow record_header(const std::vector<std::string>& extra = {});
/// Cells for that header; a column that the record does not have is empty.
CsvRow to_csv(const Record& record, const std::vector<std::string>& extra = {});

/// The treatment of a contract column that a table lacks.
enum class LackingColumn {
  is_error,
  is_blank,  ///< as in an empty record
};

class ResultFile {
 public:
  /// Reads the header. `text` outlives this; `name` is the file's, for messages, which without one say "line 3". Throws
  /// CsvError for columns that are missing, unnamed or there twice.
  explicit ResultFile(std::string_view text, std::string name = {}, LackingColumn lacking = LackingColumn::is_error);

  const std::vector<std::string>& header() const { return header_; }
  /// The schema's column at a place of the header; null for a sweep's variable, and for columns of replay/1 and link/1.
  const Column* contract_column(std::size_t place) const { return columns_[place]; }
  /// True if the file was written before the schema had all columns of the contract: see earlier_rows.hpp.
  bool is_of_earlier_revision() const { return is_earlier_; }

  /// The next row; false at the end. Throws CsvError for a row of other length, and for a schema that is not known.
  bool next();
  /// Valid until the next call of next().
  const std::vector<std::string_view>& cells() const { return cells_; }
  Schema schema() const { return schema_; }
  std::size_t line() const { return scanner_.line(); }
  /// The record in the row. Columns that are neither the contract's nor the schema's become `extra`. Throws CsvError.
  Record record() const;
  /// Says of a last line that was cut off, whose writer may have been killed; it is not among the rows. Empty if the
  /// file is whole.
  const std::string& cut_off() const { return cut_off_; }

  /// Throws CsvError with where the row and the column are.
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
  std::vector<std::string_view> cells_;
  bool is_earlier_ = false;
  Schema schema_ = Schema::collective;
  std::string schema_text_, cut_off_;
};

/// All rows of a table with a header. Throws CsvError with line and column, also for a last line that was cut off.
std::vector<Record> read_records(std::string_view text, LackingColumn lacking = LackingColumn::is_error);

}  // namespace ringmark
