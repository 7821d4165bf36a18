#include "analysis/plan/words.hpp"

#include <fmt/format.h>

#include "base/with_count.hpp"

namespace ringmark::analysis {
namespace {

/// How states are sharded, in the framework's terms.
std::string sharding_words(const Scenario& scenario, const PlanRow& row) {
  using Kind = replay::Framework::Kind;
  constexpr int sharded_weights = 3;
  const bool is_full = row.stage == sharded_weights;
  switch (scenario.framework.kind) {
    case Kind::pytorch_ddp:
      return "DDP";
    case Kind::megatron:
      return "distributed optimizer";
    case Kind::pytorch_fsdp:
      return is_full ? "FSDP FULL_SHARD" : "FSDP SHARD_GRAD_OP";
    case Kind::pytorch_fsdp2:
      return is_full ? "FSDP2" : "FSDP2 without resharding after forward";
    case Kind::deepspeed:
      break;
  }
  return fmt::format("ZeRO stage {}", row.stage);
}

}  // namespace

std::string probability_words(double probability) {
  constexpr double least = 0.01, percent = 100;
  if (probability > 1 - least) return "more than 99 %";
  return probability < least ? "less than 1 %" : fmt::format("{:.0f} %", percent * probability);
}

std::string configuration_words(const Scenario& scenario, const PlanRow& row) {
  return fmt::format("{}, {} a GPU at a time, {} a step{}", sharding_words(scenario, row),
                     with_count(static_cast<std::size_t>(row.micro_batch), "sequence"),
                     with_count(static_cast<std::size_t>(row.accumulation), "micro-step"),
                     row.recompute ? ", recomputation" : "");
}

std::string misfit_words(const Scenario& scenario, const PlanRow& row) {
  if (row.accumulation > 0) return "out of memory";
  return *scenario.global_batch < row.ranks ? "batch too small" : "batch not divisible";
}

}  // namespace ringmark::analysis
