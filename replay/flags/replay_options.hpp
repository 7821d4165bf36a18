// The command line of ringmark-replay run.
#pragma once

#include <optional>
#include <string>

#include "bench/flags/run_options.hpp"
#include "replay/flags/compute_flags.hpp"
#include "replay/flags/step_flags.hpp"

namespace ringmark::replay {

struct ReplayOptions : RunOptions {
  ReplayOptions() { max_time = std::chrono::seconds(20); }

  std::string file;                     ///< the trace; empty if flags describe the step
  std::optional<StepFlags::Step> step;  ///< described by flags, for the number of ranks that are started
  std::optional<RoleStep> parallel;     ///< the same, with roles
  ComputeFlags::Given compute;
  std::string algorithm = "auto", compute_mode = "auto", timeline, samples_path;
  bool check = true;
};

class ReplayFlags {
 public:
  explicit ReplayFlags(Flags& flags);
  /// `ranks`: the number that will be started, unless --ranks gives it. The batch of a ds_config is divided among them.
  void check(std::optional<int> ranks);

  ReplayOptions options;

 private:
  Flags& flags_;
  RunFlags common_{options};
  StepFlags step_{flags_};
  ComputeFlags compute_{flags_};
};

}  // namespace ringmark::replay
