// How far each input moves the cost of a configuration.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/step_model.hpp"

namespace ringmark::analysis {

/// An input that a planner may be wrong about.
struct SensitiveInput {
  const char* name;
  const char* unit;  ///< empty: the currency
  double most;       ///< its largest possible value
  double& (*value)(Scenario& scenario, std::size_t cluster);
  /// Its cell in a spreadsheet; null for an input on which the simulated step depends.
  std::string& (*cell)(CellNames& names, std::size_t cluster);

  bool is_simulated() const { return cell == nullptr; }
};
const std::vector<SensitiveInput>& sensitive_inputs();

/// The share by which inputs change.
constexpr double sensitivity_change = 0.2;

struct Sensitivity {
  const SensitiveInput* input;
  double value;
  PlanRow less, more;  ///< the same configuration with a fifth less and a fifth more of it
};
/// The value that inputs change: the cost of 1e9 tokens, or their GPU-hours without prices.
double spending_per_billion_tokens(const Scenario& scenario, const PlanRow& row);
std::string spending_unit(const Scenario& scenario);

/// " (up to 100 %)" for a share, which is limited to that; otherwise empty.
std::string bound_words(const SensitiveInput& input);

/// In the order of sensitive_inputs(); inputs of 0 are left out, since nothing depends on them.
std::vector<Sensitivity> sensitivities_of(const Scenario& scenario, const PlanRow& row, StepCache& cache);

/// The three inputs that move the cost most: a line for a terminal.
std::string print_sensitivities(const Scenario& scenario, const PlanRow& row);

}  // namespace ringmark::analysis
