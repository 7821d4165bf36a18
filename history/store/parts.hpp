// Which table of a store has each column of the results schema: the case and its settings are stored once per series,
// facts of a launch once per launch, and measurements in each row.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/schema/columns.hpp"

namespace ringmark::history {

enum class Part { series, launch, row };

/// The columns of all schemas and keys of `settings` that a part has. `settings` itself is not among them: its keys are
/// columns, and its further values are those of options_of and facts_of.
const std::vector<const Column*>& columns_of(Part part);

/// A row, and by column the cells that a Record cannot represent, such as another tool's name of a type that Ringmark
/// does not know.
struct StoredRow {
  Record record;
  std::map<std::string, std::string> words{};
};

/// The further values in `settings` that belong to the series, such as options and labels.
std::map<std::string, std::string> options_of(const Record& record);
/// Those that belong to the launch, such as versions.
std::map<std::string, std::string> facts_of(const Record& record);

/// Empty if the row has no value.
TypedCell value_in(const StoredRow& row, const Column& column);
/// The same as text.
std::string text_in(const StoredRow& row, const Column& column);
/// Sets a column from a cell as value_in returned it. Cells that the column cannot represent become words.
void set_value(StoredRow& row, const Column& column, const TypedCell& value);

/// Identifies a series: equal for rows that measured the same case in the same way, even after columns were added to
/// the schema.
std::string series_digest(const StoredRow& row);
/// Identifies a row among those of its launch.
std::int64_t row_digest(const StoredRow& row);

}  // namespace ringmark::history
