// Configurations under other inputs, as formulas: what the sheets Answer and Sensitivity show of changes.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/sensitivity.hpp"
#include "analysis/plan/spreadsheet.hpp"

namespace ringmark::analysis {

/// Where the sheet Answer has the choice for a model.
struct AnswerCells {
  std::string cluster;  ///< its name
  std::string nodes, days, cost, cost_per_Btok;
  std::string line;  ///< of Results, from 1; an empty text where nothing fits
  double line_now = 0;
};

/// The hidden sheet Variants. Its columns are those of Results.
class VariantsSheet {
 public:
  VariantsSheet(Spreadsheet& book, const Scenario& scenario, const CellNames& names, std::size_t rows);

  struct Cells {
    std::string days, cost, cost_per_Btok;
  };
  /// The answer with a share, in the cell `change`, less and more of an input. They follow the answer.
  struct Pair {
    Sensitivity at_present;
    std::string value;  ///< of the input, as it is
    Cells less, more;
  };
  std::vector<Pair> write_sensitivities(const PlanRow& chosen, const AnswerCells& answer, const std::string& change);

  /// A change to the chosen place, in the configuration that the search found for it.
  Cells write_what_if(const PlanRow& chosen, const WhatIf& what_if);

 private:
  Cells write_line(const std::string& what, const PlanRow& row, const CellNames& names, const GivenCells& given);
  void write_value(std::size_t column, const std::string& formula, double value);
  std::string here(std::size_t column) const;

  const Scenario& scenario_;
  const CellNames& names_;
  std::size_t results_;  ///< rows of the sheet Results
  lxw_worksheet* sheet_;
  Spreadsheet& book_;
  std::size_t line_ = 1;
};

}  // namespace ringmark::analysis
