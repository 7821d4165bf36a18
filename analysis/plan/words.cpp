#include "analysis/plan/words.hpp"

#include <fmt/format.h>

#include "base/with_count.hpp"

namespace ringmark::analysis {

std::string probability_words(double probability) {
  constexpr double least = 0.01, percent = 100;
  if (probability > 1 - least) return "more than 99 %";
  return probability < least ? "less than 1 %" : fmt::format("{:.0f} %", percent * probability);
}

std::string configuration_words(const Scenario& scenario, const PlanRow& row) {
  return fmt::format(
      "{}, {} x {} a GPU{}", sharding_words(scenario.framework.kind, row.sharding()),
      with_count(static_cast<std::size_t>(row.micro_batch), "sequence"),
      with_count(static_cast<std::size_t>(row.accumulation), "micro-step"),
      row.recompute == replay::Recompute{} ? "" : fmt::format(", {} recomputation", name(row.recompute)));
}

std::string misfit_words(const Scenario& scenario, const PlanRow& row) {
  if (!row.has_equal_groups()) return fmt::format("{} not divisible", shard_group_key(row.framework));
  if (row.accumulation > 0) return "out of memory";
  return *scenario.global_batch < row.ranks ? "batch too small" : "batch not divisible";
}

}  // namespace ringmark::analysis
