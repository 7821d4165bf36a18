// A training step in a row of replay/1: the replayed step and its results. results/README.md explains them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/workload.hpp"

namespace ringmark {

struct StepResult {
  std::string model, framework;
  std::optional<int> zero_stage, micro_steps;
  std::optional<std::uint64_t> micro_batch;
  /// Empty if the framework decides. In a sweep's rows, also the value of a variable of that name.
  std::string overlap, gradients, device;
  std::optional<ComputeMode> compute_used;
  std::map<int, double> slow_down;  ///< by rank, the factor by which it computes longer

  std::optional<double> computation_us, communication_us, exposed_us, hidden_us;
  std::optional<double> exposed_fwd_us, exposed_bwd_us, exposed_step_us;
  std::optional<double> hidden_fwd_us, hidden_bwd_us, hidden_step_us;
  std::optional<double> samples_per_s, tokens_per_s;
  std::optional<int> waited_for;
  std::optional<double> step_wire_bytes;
  std::optional<std::uint64_t> collectives;
  std::optional<double> compute_scale, size_scale;
  std::vector<double> micro_computation_us, micro_exposed_us, micro_hidden_us;
  std::string parallelism;  ///< "tp2 pp2 dp2"; empty for data parallelism alone
  std::optional<double> bubble_us;

  bool operator==(const StepResult&) const = default;
};

}  // namespace ringmark
