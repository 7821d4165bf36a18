#include "analysis/plan/variants.hpp"

#include <utility>

#include <fmt/format.h>

#include "analysis/plan/cluster_reader.hpp"

namespace ringmark::analysis {

std::vector<Variant> variants_of(const Scenario& scenario, std::size_t cluster) {
  const auto& base = scenario.clusters[cluster];
  std::vector<Variant> variants{{.name = "as planned", .cluster = base}};
  const auto add_network = [&](double times, std::string name, bool is_what_if) {
    auto& variant = variants.emplace_back(Variant{std::move(name), base, is_what_if, true});
    variant.cluster.network.GBps *= times;
  };
  const auto add_speed = [&](double times, std::string name) {
    variants.emplace_back(Variant{std::move(name), base}).cluster.efficiency *= times;
  };
  add_network(0.5, "network half as fast", false);
  add_network(0.9, "network 10 % slower", false);
  add_network(scenario.network_times, fmt::format("network {} times as fast", scenario.network_times), true);
  add_speed(0.9, "GPUs 10 % slower");
  add_speed(1.1, "GPUs 10 % faster");
  variants.emplace_back(Variant{fmt::format("memory {} times as large", scenario.memory_times), base, true})
      .cluster.memory_GB *= scenario.memory_times;
  if (base.next) {
    auto& next = variants.emplace_back(Variant{"with " + base.next->device.name, base, true, false, true}).cluster;
    take_figures(base.next->device, next);
    next.name += " " + variants.back().name;
    if (next.purchase) next.purchase = Purchase{.PUE = base.purchase->PUE};  // it has a price per hour
    next.price_per_GPU_hour = base.next->price_per_GPU_hour;
    next.reserved.reset();  // a contract for the GPUs as they are
    next.price_range = base.next->price_range;
    next.power_kW_per_GPU = base.next->power_kW_per_GPU;
  }
  return variants;
}

std::vector<PlanRow> best_with(const Scenario& scenario, const Variant& variant, StepCache& cache,
                               const std::array<std::size_t, 3>& where, int wanted) {
  auto changed = scenario;
  changed.clusters[where[1]] = variant.cluster;
  StepModel steps(changed, cache);
  return best_of_place(changed, steps, where, wanted);
}

PlanWithVariants plan_with_variants(const Scenario& scenario, const Progress& progress) {
  PlanWithVariants plan;
  StepCache cache;
  const auto add = [&](const auto& where, const std::vector<PlanRow>& rows) {
    auto& place = plan.places[where];
    const auto at = [](const std::vector<PlanRow>& fastest, std::size_t index) {
      return index < fastest.size() ? std::optional(fastest[index]) : std::nullopt;
    };
    const auto as_planned = at(rows, 0);
    const bool is_one_node = scenario.nodes[where[2]] == 1;
    for (const auto& variant : variants_of(scenario, where[1])) {
      const bool is_as_planned = place.best.empty() || (variant.is_of_network && is_one_node);
      const auto fastest = is_as_planned ? rows : best_with(scenario, variant, cache, where, 2);
      place.best.push_back(at(fastest, 0));
      place.second.push_back(at(fastest, 1));
    }
    if (as_planned) place.sensitivities = sensitivities_of(scenario, *as_planned, cache);
  };
  plan.rows = make_plan(scenario, cache, progress, add);
  return plan;
}

}  // namespace ringmark::analysis
