// The columns of replay/1 after those of the contract: one table of their names and of the step's fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/cells.hpp"
#include "results/step_result.hpp"

namespace ringmark {

struct ReplayColumn {
  std::string_view name;
  bool is_figure;         ///< it was measured; false if it describes the replayed step
  std::string_view flag;  ///< of ringmark-replay, which sets it; the column's name if they are alike, or none does
  std::string (*cell)(const StepResult& step);
  TypedCell (*typed_cell)(const StepResult& step);
  /// Throws CsvError.
  void (*read)(std::string_view cell, StepResult& step);
};

/// In the file's order; README.md is their dictionary.
std::span<const ReplayColumn> replay_columns();
/// Null if no column has that name.
const ReplayColumn* find_replay_column(std::string_view name);

/// False also for a name that is no column of replay/1.
bool is_replay_figure(std::string_view column);
/// The flag of ringmark-replay that sets the column's value; the name itself if there is none.
std::string_view replay_flag(std::string_view column);

}  // namespace ringmark
