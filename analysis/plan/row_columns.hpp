// The columns that describe a configuration, in plan.csv and on the sheet Results.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/plan/plan_row.hpp"

namespace ringmark::analysis {

/// Nothing where the row has no such value.
using RowValue = std::variant<std::monostate, double, bool, std::string>;

struct RowColumn {
  const char* name;
  RowValue (*of)(const Scenario& scenario, const PlanRow& row);
};
/// In the order of plan.csv.
const std::vector<RowColumn>& row_columns();
/// The value of the column with this name.
RowValue row_value(std::string_view name, const Scenario& scenario, const PlanRow& row);

}  // namespace ringmark::analysis
