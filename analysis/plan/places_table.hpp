// The table of a plan's places on the sheet Answer: the best configuration of each, with the hardware that was
// selected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// `in_order` is least for the answer: a tier, and within it cost or days. It and what follows are hidden.
enum PlaceColumn : std::size_t {
  in_model,
  in_cluster,
  in_nodes,
  in_GPUs,
  in_days,
  in_days_low,
  in_days_high,
  in_cost,
  in_cost_high,
  in_per_Btok,
  in_energy,
  in_mfu,
  in_goodput,
  in_configuration,
  in_order,
  in_variant,
  in_rate,
  in_low,
  in_high,
  in_sure,   ///< days and cost over their medians, not exceeded with the wanted certainty
  in_price,  ///< per GPU-hour, with the selected hardware
  in_spent,  ///< the cost, or GPU-days if the cluster has no price
  end_of_places
};

class PlacesTable {
 public:
  /// Its first place is in the line `first`, counted from 0; its heading is above it.
  PlacesTable(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const CellNames& names,
              const std::vector<PlanRow>& rows, const VariantsSheet& variants, std::size_t first)
      : book_(book),
        sheet_(sheet),
        scenario_(scenario),
        names_(names),
        rows_(rows),
        variants_(variants),
        first_(first) {}

  void write();

  std::size_t last() const { return first_ + variants_.places().size() - 1; }
  /// The cells of a model's places in a column.
  std::string of_model(PlaceColumn column, std::size_t model) const;
  /// How many places come before the model's.
  std::size_t before_model(std::size_t model) const;

 private:
  void write_heading(std::size_t line);
  void write_place(std::size_t place);

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  const Scenario& scenario_;
  const CellNames& names_;
  const std::vector<PlanRow>& rows_;
  const VariantsSheet& variants_;
  std::size_t first_;
};

}  // namespace ringmark::analysis
