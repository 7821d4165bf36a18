#include "analysis/plan/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text_table.hpp"

namespace ringmark::analysis {
namespace {

constexpr double unbounded = 1e300;

double swing_of(const Scenario& scenario, const Sensitivity& each) {
  return std::abs(spending_per_billion_tokens(scenario, each.more) - spending_per_billion_tokens(scenario, each.less));
}

}  // namespace

const std::vector<SensitiveInput>& sensitive_inputs() {
  static const std::vector<SensitiveInput> inputs{
      {"price_per_GPU_hour", "", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].price_per_GPU_hour; },
       [](auto& n, auto c) -> std::string& { return n.clusters[c].price; }},
      {"peak_TFLOPS", "1e12 / s", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].peak_TFLOPS; },
       nullptr},
      {"network_GBps", "1e9 B / s", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].network.GBps; },
       nullptr},
      {"network_alpha_us", "µs", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].network.alpha_us; },
       nullptr},
      {"intra_GBps", "1e9 B / s", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].intra.GBps; },
       nullptr},
      {"utilisation", "share", 1, [](auto& s, auto) -> double& { return s.utilisation; },
       [](auto& n, auto) -> std::string& { return n.utilisation; }},
      {"node_mtbf_hours", "hours", unbounded,
       [](auto& s, auto c) -> double& { return s.clusters[c].failures.node_mtbf_hours; },
       [](auto& n, auto c) -> std::string& { return n.clusters[c].mtbf_hours; }},
      {"checkpoint_write_s", "s", unbounded,
       [](auto& s, auto c) -> double& { return s.clusters[c].failures.checkpoint_write_s; },
       [](auto& n, auto c) -> std::string& { return n.clusters[c].write_s; }},
      {"restart_s", "s", unbounded, [](auto& s, auto c) -> double& { return s.clusters[c].failures.restart_s; },
       [](auto& n, auto c) -> std::string& { return n.clusters[c].restart_s; }}};
  return inputs;
}

double spending_per_billion_tokens(const Scenario& scenario, const PlanRow& row) {
  if (scenario.has_prices()) return row.cost_per_Btok;
  constexpr double hours_per_day = 24;
  const auto& cluster = scenario.clusters[row.cluster];
  const double gpus = row.ranks + cluster.spare_nodes * cluster.gpus_per_node;
  return row.days * hours_per_day * gpus / (scenario.tokens / 1e9);
}

std::string spending_unit(const Scenario& scenario) { return scenario.has_prices() ? scenario.currency : "GPU-hours"; }

std::string bound_words(const SensitiveInput& input) { return input.most == 1 ? " (up to 100 %)" : ""; }

std::vector<Sensitivity> sensitivities_of(const Scenario& scenario, const PlanRow& row, StepCache& cache) {
  std::vector<Sensitivity> result;
  for (const auto& input : sensitive_inputs()) {
    auto changed = scenario;
    auto& value = input.value(changed, row.cluster);
    const double now = value;
    if (now <= 0) continue;
    const auto at = [&](double factor) {
      value = std::min(input.most, now * factor);
      auto with_value = row;
      if (input.is_simulated())
        StepModel(changed, cache).simulate(with_value);
      else
        take_costs(changed, with_value);
      return with_value;
    };
    const auto less = at(1 - sensitivity_change);
    result.push_back({&input, now, less, at(1 + sensitivity_change)});
  }
  return result;
}

std::string print_sensitivities(const Scenario& scenario, const PlanRow& row) {
  constexpr std::size_t most = 3;
  std::string text;
  StepCache cache;
  auto all = sensitivities_of(scenario, row, cache);
  std::stable_sort(all.begin(), all.end(), [&](const Sensitivity& a, const Sensitivity& b) {
    return swing_of(scenario, a) > swing_of(scenario, b);
  });
  for (std::size_t i = 0; i < all.size() && i < most; ++i) {
    const auto& each = all[i];
    if (swing_of(scenario, each) < 1e-3 * spending_per_billion_tokens(scenario, row)) continue;
    text += fmt::format("{}{}{} ({} to {})", text.empty() ? "" : ", ", each.input->name, bound_words(*each.input),
                        short_number(spending_per_billion_tokens(scenario, each.less)),
                        short_number(spending_per_billion_tokens(scenario, each.more)));
  }
  if (text.empty()) return "";
  return fmt::format("{} per billion tokens with {:.0f} % less or more of: {}", spending_unit(scenario),
                     100 * sensitivity_change, text);
}

}  // namespace ringmark::analysis
