// A purchase in words: the outlay, the run's share of it, and the utilisation above which buying is cheaper than
// renting.
#pragma once

#include <string>

#include "analysis/plan/live_text.hpp"
#include "analysis/plan/plan_row.hpp"

namespace ringmark::analysis {

/// Cells of the bought cluster, and of the one to rent.
struct PurchaseCells {
  std::string cluster, nodes, paid_GPUs, outlay, depreciation, electricity, years;
  std::string rented;      ///< its name; an empty text without one
  std::string break_even;  ///< break_even_use()
};

/// The share of its years for which a bought cluster must be in use to cost as much as renting; above 1: never.
double break_even_use(const PlanRow& bought, double rented_cost);
/// The same as a formula.
std::string break_even_formula(const PurchaseCells& cells, const std::string& rented_cost);

/// For a console, by now(), and for a workbook. `rented` is null if all clusters are bought.
LiveText purchase_words(const Scenario& scenario, const PlanRow& bought, const PlanRow* rented,
                        const PurchaseCells& cells);

}  // namespace ringmark::analysis
