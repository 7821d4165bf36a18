#include "bench/replay/run/replay_columns.hpp"

namespace ringmark::replay {

const std::vector<std::string>& replay_columns() {
  static const std::vector<std::string> columns{
      "model",          "framework",        "zero_stage",    "micro_steps",  "micro_batch",
      "computation_us", "communication_us", "exposed_us",    "hidden_us",    "exposed_fwd_us",
      "exposed_bwd_us", "exposed_step_us",  "samples_per_s", "tokens_per_s", "step_wire_bytes",
      "collectives",    "waited_for",       "compute_scale", "size_scale"};
  return columns;
}

}  // namespace ringmark::replay
