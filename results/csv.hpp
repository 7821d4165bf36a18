// RFC 4180: rows of cells, and Records as rows.
#pragma once

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

/// One line with its line end. A cell is quoted only where it must be.
std::string write_csv(const CsvRow& row);
/// All rows of a file. Lines end with LF or CRLF, the last one perhaps with neither. Throws CsvError on a quote that is
/// not closed, or text after a closing quote.
std::vector<CsvRow> parse_csv(std::string_view text);

/// The columns of the contract, then `extra`.
CsvRow record_header(const std::vector<std::string>& extra = {});
/// Cells for that header; an extra column that the record has not is empty.
CsvRow to_csv(const Record& record, const std::vector<std::string>& extra = {});
/// `row` has at least the columns of the contract, in any order, named by `header`; all others become `extra`. Throws
/// CsvError with the column's name.
Record from_csv(const CsvRow& header, const CsvRow& row, std::size_t line);

}  // namespace ringmark
