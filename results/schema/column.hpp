// A column of results as the schema declares it: its name, unit, type, role and meaning, and the member of Record
// behind it. Writers, readers, the analysis' tables and the dictionary in results/README.md are derived from these
// declarations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/schema/cells.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

/// The role of a column in its row.
enum class Role {
  benchmark_case,   ///< what was measured: ranks, sizes, a model
  choice,           ///< how it was measured: what comparisons choose between
  distortion,       ///< how a replay distorts its step, such as a straggler; not a choice
  origin,           ///< where the row comes from; may differ between launches of one setting
  library_version,  ///< an origin, or a choice if rows of several versions are read together
  measurement,
  rate,  ///< a measurement for which larger is better
};

enum class ColumnType { text, number, object };

struct Column {
  std::string_view name;
  Role role = Role::measurement;
  std::string_view unit;
  std::string_view meaning;  ///< in Markdown, for the dictionary
  std::string_view flag;     ///< of a measuring program that sets it, without dashes; empty if none
  int since = 1;             ///< revision of the schema: files of earlier revisions lack the column
  ColumnType type = ColumnType::text;
  std::optional<double> most{};  ///< for whole numbers, which start at 0

  /// For CSV.
  std::string (*cell)(const Record& record) = nullptr;
  /// For formats that have types.
  TypedCell (*value)(const Record& record) = nullptr;
  /// Throws CsvError for a cell of the wrong type.
  void (*read)(std::string_view cell, Record& record) = nullptr;
};

/// The number in a non-empty cell. Throws CsvError if it is not a number, or out of the column's range.
double number_in(const Column& column, std::string_view cell);
/// Throws CsvError if the cell is not a valid value of the column.
void check_cell(const Column& column, std::string_view cell);

}  // namespace ringmark
