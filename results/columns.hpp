// The columns of a record by their names: those of the contract, those of its schema, and a sweep's variables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/cells.hpp"
#include "results/record.hpp"

namespace ringmark {

/// A variable that was left alone, in sweep files, in the results of sweeps, and where results are asked about.
inline constexpr std::string_view unset = "unset";

/// True for a column of the contract.
bool is_contract_column(const std::string& name);

/// The columns that rows of the schema have after those of the contract, in their order.
const std::vector<std::string>& own_columns(Schema schema);

/// As CSV has it. A sweep's variable comes before the schema's column of the same name. Nothing if the record has no
/// such column.
std::optional<std::string> cell_of(const Record& record, const std::string& column);

/// The value in a column of the record's schema.
TypedCell own_value(const Record& record, const std::string& column);

/// The number in the column; nothing if there is no such column, or no number in it.
std::optional<double> figure_of(const Record& record, const std::string& column);

/// Fills in a column of the record's schema. False if the schema has none of that name. Throws CsvError.
bool read_own_cell(const std::string& column, std::string_view cell, Record& record);

}  // namespace ringmark
