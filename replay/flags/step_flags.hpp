// The flags that describe a step: the same for generate, run and predict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/flags/run_options.hpp"
#include "replay/generate/ds_config.hpp"
#include "replay/model/model.hpp"

namespace CLI {
class Option;
}

namespace ringmark::replay {

class StepFlags {
 public:
  void declare(CLI::App& app);
  /// True if the flags describe the step, and not `trace`, a file; a problem if it is both or neither.
  bool describe_a_step(FlagReader& read, const std::string& trace, bool is_needed = true) const;
  /// If it was given: of networks, whatever describes the step.
  std::optional<int> ranks_per_node(FlagReader& read) const;

  /// A step as the flags and the ds_config have it. `ranks` counts where no --ranks of its own was declared.
  struct Step {
    Model model;
    StepSettings settings;
    std::vector<std::string> notes;
  };
  Step interpret(FlagReader& read, int ranks) const;

 private:
  std::vector<std::string> given() const;
  void interpret_common(FlagReader& read, StepSettings& settings, const DsConfig& config) const;
  void interpret_of_framework(FlagReader& read, StepSettings& settings) const;

  std::vector<const CLI::Option*> describing_;  ///< the application's that they were declared to
  std::string model_, framework_, ds_config_, zero_, grad_accum_, dtype_, reduce_dtype_, micro_batch_, sequence_;
  std::string param_groups_, overlap_, gradients_, bucket_cap_mb_, reduce_bucket_, clip_grad_, ranks_per_node_;
  bool recompute_ = false, find_unused_ = false;
};

}  // namespace ringmark::replay
