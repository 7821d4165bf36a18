// Scenarios as text, for tests of the plan.
#pragma once

#include <string>

#include "analysis/plan/remedies.hpp"
#include "analysis/plan/scenario.hpp"
#include "base/errors.hpp"

namespace ringmark::testing_support {

using analysis::read_scenario;
using analysis::Scenario;

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}
/// Every stage of a model on two numbers of nodes of one cluster, in whose memory everything fits.
inline constexpr auto small = R"(
tokens: 1e9
sequence: 2048
models: [llama-8b]
stages: [0, 1, 2, 3]
nodes: [2, 8]
recompute: true
clusters:
  - name: A
    peak_TFLOPS: 312
    memory_GB: 1000
    price_per_GPU_hour: 2
    power_kW_per_GPU: 0.5
    intra: {alpha_us: 5, GBps: 200}
    network: {alpha_us: 10, GBps: 100}
)";

inline Scenario scenario_of(const std::string& text) { return read_scenario("s.yaml", text, {}); }
inline std::string printed(const Scenario& scenario, const std::vector<analysis::PlanRow>& rows) {
  return analysis::print(scenario, rows, analysis::answers_with_remedies(scenario, rows));
}
inline std::string scenario_refusal(const std::string& text) {
  try {
    scenario_of(text);
    return "read";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

}  // namespace ringmark::testing_support
