// A column of results as the schema declares it: its name, unit, type, role and meaning, and the Record's member behind
// it. Writers, readers, the analysis' tables and the dictionary in results/README.md follow from these declarations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/cells.hpp"
#include "results/record.hpp"

namespace ringmark {

/// What a column says about its row.
enum class Role {
  benchmark_case,   ///< what was measured: ranks, sizes, a model
  choice,           ///< how it was done: what comparisons choose among
  distortion,       ///< how a replay distorts the step that it plays, such as a straggler; nobody can choose it
  origin,           ///< where the row comes from; it may differ between launches of one setting
  library_version,  ///< an origin, until rows of several versions are read together: then it is a choice
  measurement,
  rate,  ///< a measurement that is better the larger it is
};

enum class ColumnType { text, number, object };

struct Column {
  std::string_view name;
  Role role = Role::measurement;
  std::string_view unit;
  std::string_view meaning;  ///< in Markdown, for the dictionary
  std::string_view flag;     ///< of a measuring program, without dashes, that sets it; empty if none does
  int since = 1;             ///< revision of the schema: files of earlier ones lack the column
  ColumnType type = ColumnType::text;
  std::optional<double> most{};  ///< of whole numbers from 0 on

  /// As CSV has it.
  std::string (*cell)(const Record& record) = nullptr;
  /// As formats with types have it.
  TypedCell (*value)(const Record& record) = nullptr;
  /// Throws CsvError for a cell that is not of its type.
  void (*read)(std::string_view cell, Record& record) = nullptr;
};

/// The number in a cell that is not empty. Throws CsvError where it is none, or more or less than the column takes.
double number_in(const Column& column, std::string_view cell);
/// Throws CsvError if the column cannot hold the cell.
void check_cell(const Column& column, std::string_view cell);

}  // namespace ringmark
