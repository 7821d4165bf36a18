// The sheets of a plan's workbook.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// The plan that the sheets show.
struct Planned {
  const Scenario& scenario;
  const std::vector<PlanRow>& rows;
  const VariantsSheet& variants;
  CellNames cells;                        ///< of write_assumptions()
  std::vector<const PlanRow*> simulated;  ///< of the rows
};

/// Expressions for the chosen place, which follow the answer.
struct AnswerCells {
  std::string place;  ///< its number, from 1
  std::string cluster, nodes, GPUs, days, cost;
  std::string paid_GPUs, years,
      hardware;                   ///< GPUs including spares; years of use; number of the selected variant, from 1
  CellNames::Cluster of_cluster;  ///< the cells of its cluster that a planner may change
};

/// Assumptions: yellow cells, under names, for all inputs that formulas follow; they reject values that would break the
/// formulas. The inputs of the simulation are below them.
CellNames write_assumptions(Sheet sheet, const Scenario& scenario, const VariantsSheet& variants);

/// Answer: the choice for each model, what would change it, and the best configuration of each place. Returns each
/// model's cells, which follow the assumptions.
std::vector<AnswerCells> write_answer(Sheet sheet, const Planned& planned, const std::vector<Answer>& answers);

/// Sensitivity: how far each input, alone, moves the cost of the answer. `cells` are those of write_answer().
void write_sensitivity(Sheet sheet, const Planned& planned, const std::vector<Answer>& answers,
                       const std::vector<AnswerCells>& cells);

/// Best: days, cost and rate of the best configuration over numbers of nodes, with charts.
void write_best(Sheet sheet, const Planned& planned);

/// Results: all simulated configurations, with their days and money as formulas.
void write_results(Sheet sheet, const Planned& planned);

}  // namespace ringmark::analysis
