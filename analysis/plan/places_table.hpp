// The table of a plan's places on the sheet Answer: the best configuration of each, by formulas over the sheet Results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/changes_table.hpp"
#include "analysis/plan/formulas.hpp"
#include "analysis/plan/search.hpp"
#include "analysis/plan/spreadsheet.hpp"

namespace ringmark::analysis {

/// `in_order` is least for the answer: a tier, and within it cost or days.
enum PlaceColumn : std::size_t {
  in_model,
  in_cluster,
  in_nodes,
  result_line,
  in_stage,
  in_recompute,
  in_micro_batch,
  in_days,
  in_days_low,
  in_days_high,
  in_cost,
  in_cost_high,
  in_per_Btok,
  in_mfu,
  in_goodput,
  in_order
};

class PlacesTable {
 public:
  /// Its first place is in the line `first`, counted from 0; its heading is above it.
  PlacesTable(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const CellNames& names,
              const std::vector<PlanRow>& rows, std::size_t first);

  void write();

  std::size_t last() const { return first_ + places_.size() - 1; }
  /// "$H$20": both from 0.
  static std::string cell(std::size_t column, std::size_t line);
  /// The cells of a model's places in a column.
  std::string of_model(PlaceColumn column, std::size_t model) const;
  /// The cells of the place whose best row it is.
  AnswerCells cells_of(const PlanRow& row) const;

 private:
  void write_heading(std::size_t line);
  void write_place(const PlanPlace& place, std::size_t line);
  void write_order(std::size_t line, const std::optional<Choice>& choice);

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  const Scenario& scenario_;
  const CellNames& names_;
  const std::vector<PlanRow>& rows_;
  std::vector<PlanPlace> places_;
  std::size_t first_;
};

}  // namespace ringmark::analysis
