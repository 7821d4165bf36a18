// The answer as one would say it, in one cell that follows the cells of the answer.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/live_text.hpp"
#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {

namespace answer_column {
/// Columns of the answer's line: those of PlacesTable, where they mean the same.
enum AnswerColumn : std::size_t {
  name,
  cluster,
  nodes = in_nodes,
  GPUs,
  days,
  days_low,
  days_high,
  cost,
  cost_high,
  expected,
  per_Btok,
  energy,
  deadline_met,
  budget_met,
  configuration = in_configuration
};
}  // namespace answer_column
using answer_column::AnswerColumn;

/// The sentence for the answer whose numbers are in `line`; `verdict` is what its verdict cell shows now.
LiveText answer_sentence(const Scenario& scenario, const CellNames& names, const Answer& answer,
                         const std::string& verdict, std::size_t line);

}  // namespace ringmark::analysis
