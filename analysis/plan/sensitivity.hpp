// How far each input moves the cost of a chosen configuration.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/formulas.hpp"

namespace ringmark::analysis {

/// An input that a planner may be wrong about, in a scenario and in the spreadsheet's cells.
struct SensitiveInput {
  const char* name;
  const char* unit;  ///< empty: the currency
  double most;       ///< that it can be
  double& (*value)(Scenario& scenario, std::size_t cluster);
  std::string& (*cell)(CellNames& names, std::size_t cluster);
};
const std::vector<SensitiveInput>& sensitive_inputs();

/// The share by which inputs change.
constexpr double sensitivity_change = 0.2;

/// The configuration as it is in a changed scenario: arithmetic with its own replay_factor. `speed` is how often the
/// devices are as fast as in `row`.
PlanRow in_changed_scenario(const Scenario& changed, const PlanRow& row, double speed);

struct Sensitivity {
  const SensitiveInput* input;
  double value;
  PlanRow less, more;  ///< with a fifth less and a fifth more of it
};
/// Inputs of 0 are left out: nothing depends on them.
std::vector<Sensitivity> sensitivities_of(const Scenario& scenario, const PlanRow& row);

/// The three inputs that move the cost most: a line for a terminal.
std::string print_sensitivities(const Scenario& scenario, const PlanRow& row);

}  // namespace ringmark::analysis
