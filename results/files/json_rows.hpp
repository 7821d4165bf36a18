// Rows as JSON: an array with an object per row, which pandas and DuckDB read without options. results/README.md
// describes the columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/files/sink.hpp"

namespace ringmark {

using JsonRow = nlohmann::ordered_json;

/// The columns of the contract and of the row's schema. Numbers stay numbers; missing values are null.
JsonRow json_row(const Record& record);

/// A whole file, one line per row.
std::string json_rows(const std::vector<JsonRow>& rows);

/// Appends to an existing file if it begins and ends as such a file does. The file is valid JSON after every row. Opens
/// it immediately and throws std::system_error if that fails, std::invalid_argument if the file contains something
/// else.
std::unique_ptr<Sink> make_json_sink(const std::string& path);

}  // namespace ringmark
