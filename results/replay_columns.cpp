#include "results/replay_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ringmark {
namespace {

constexpr std::array figures{"computation_us", "communication_us", "exposed_us",    "hidden_us",     "exposed_fwd_us",
                             "exposed_bwd_us", "exposed_step_us",  "hidden_fwd_us", "hidden_bwd_us", "hidden_step_us",
                             "samples_per_s",  "tokens_per_s",     "waited_for"};
constexpr std::array micro_steps{"micro_computation_us", "micro_exposed_us", "micro_hidden_us"};

}  // namespace

const std::vector<std::string>& replay_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> all{"model",   "framework", "zero_stage", "micro_steps",  "micro_batch",
                                 "overlap", "gradients", "device",     "compute_used", "slow_down"};
    all.insert(all.end(), figures.begin(), figures.end());
    all.insert(all.end(), {"step_wire_bytes", "collectives", "compute_scale", "size_scale"});
    all.insert(all.end(), micro_steps.begin(), micro_steps.end());
    return all;
  }();
  return columns;
}

std::string_view replay_flag(std::string_view column) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> flags{{{"zero_stage", "zero"},
                                                                                {"slow_down", "slow-down"},
                                                                                {"micro_steps", "grad-accum"},
                                                                                {"micro_batch", "micro-batch"},
                                                                                {"compute_scale", "scale-compute"},
                                                                                {"size_scale", "scale-sizes"}}};
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const auto& each) { return each.first == column; });
  return found == flags.end() ? column : found->second;
}

bool is_replay_figure(std::string_view column) {
  const auto is_in = [&](const auto& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  return is_in(figures) || is_in(micro_steps) || column == "step_wire_bytes" || column == "collectives";
}

}  // namespace ringmark
