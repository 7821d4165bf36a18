// The rows embedded in a report's page, so that its reader can look at each of them.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {

/// Columns that are not empty everywhere.
std::vector<std::string> shown_columns(const Table& table);

/// Every row as a JSON array of these columns, separated by commas. Text goes to the sink piece by piece, since the
/// rows may not fit in memory; `to` holds the text that has not gone to the sink yet.
void write_rows(const Table& table, const std::vector<std::string>& columns, const TextSink& sink, std::string& to);

}  // namespace ringmark::analysis
