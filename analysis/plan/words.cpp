#include "analysis/plan/words.hpp"

#include <map>

#include <fmt/format.h>

#include "base/text/with_count.hpp"

namespace ringmark::analysis {

std::string probability_words(double probability) {
  constexpr double least = 0.01, percent = 100;
  if (probability > 1 - least) return "more than 99 %";
  return probability < least ? "less than 1 %" : fmt::format("{:.0f} %", percent * probability);
}

std::string split_words(const PlanRow& row) {
  return row.has_roles() ? parallel_words(row.parallelism, row.copies())
                         : sharding_words(row.framework, row.sharding());
}

std::string configuration_words(const PlanRow& row) {
  return fmt::format(
      "{}, {} x {} a {}{}", split_words(row), with_count(static_cast<std::size_t>(row.micro_batch), "sequence"),
      with_count(static_cast<std::size_t>(row.accumulation), "micro-step"), row.has_roles() ? "copy" : "GPU",
      row.recompute == replay::Recompute{} ? "" : fmt::format(", {} recomputation", name(row.recompute)));
}

std::string misfit_words(const Scenario& scenario, const PlanRow& row) {
  if (!row.is_possible) return "layers or GPUs not divisible";
  if (row.accumulation > 0 && !row.is_divisible())
    return row.has_roles() ? "micro-batches not divisible"
                           : fmt::format("{} not divisible", shard_group_key(row.framework));
  if (row.accumulation > 0) return "out of memory";
  return *scenario.global_batch < row.copies() ? "batch too small" : "batch not divisible";
}

std::string input_words(std::string_view key) {
  static const std::map<std::string_view, const char*> words{
      {"tokens", "tokens to train on"},
      {"utilisation", "share of days in training"},
      {"start", "day on which training begins"},
      {"deadline_days", "deadline"},
      {"budget", "budget"},
      {"certainty", "wanted certainty"},
      {"price_per_GPU_hour", "price per GPU-hour"},
      {"reserved_nodes", "reserved nodes"},
      {"reserved_share", "share of nodes that are reserved"},
      {"reserved_price_per_GPU_hour", "price per GPU-hour of reserved nodes"},
      {"price_per_GPU", "price of a GPU that is bought"},
      {"years", "years of use"},
      {"electricity_per_kWh", "electricity"},
      {"PUE", "power usage effectiveness"},
      {"spare_nodes", "spare nodes"},
      {"next_price_per_GPU_hour", "price per GPU-hour with the next device"},
      {"power_kW_per_GPU", "power of a GPU"},
      {"node_mtbf_hours", "time between two failures of a node"},
      {"checkpoint_write_s", "time a checkpoint holds up training"},
      {"restart_s", "time for a restart after a failure"},
      {"checkpoint_interval_s", "training between two checkpoints"},
      {"hardware", "hardware"},
      {"framework", "training framework"},
      {"software", "how well kernels are fused"},
      {"median", "error of predictions"},
      {"parallelism", "how GPUs share the model"},
      {"overlap_comm", "communication overlaps computation"},
      {"sequence", "tokens of a sequence"},
      {"bucket_elements", "bucket of gradients"},
      {"reduce_scatter", "gradients of stages 1 and 2 by reduce_scatter"},
      {"global_batch_sequences", "sequences of a step"},
      {"gpus_per_node", "GPUs of a node"},
      {"device", "GPU"},
      {"peak_TFLOPS", "dense 16-bit peak per GPU"},
      {"efficiency", "share of the peak that long matrix products reach"},
      {"memory_GB", "memory of a GPU"},
      {"reserve_GB", "memory of a GPU for the framework and fragmentation"},
      {"intra_alpha_us", "time of an empty message within a node"},
      {"intra_GBps", "bandwidth of a GPU within its node, each way"},
      {"network_alpha_us", "time of an empty message between nodes"},
      {"network_GBps", "bandwidth of a node, each way"}};
  return words.at(key);
}

}  // namespace ringmark::analysis
