// The command line of ringmark-replay run.
#pragma once

#include <optional>
#include <string>

#include "bench/flags/run_options.hpp"
#include "replay/flags/compute_flags.hpp"
#include "replay/flags/step_flags.hpp"

namespace ringmark::replay {

struct ReplayOptions : RunOptions {
  std::string file;                     ///< a trace, or
  std::optional<StepFlags::Step> step;  ///< a step by flags; its ranks are those that are started
  ComputeFlags::Given compute;
  std::string algorithm = "auto", pretence = "auto", timeline, samples_path;
  bool check = true;
};

/// `ranks`: that will be started, if --ranks does not say so; the batch of a ds_config is divided among them.
Parsed<ReplayOptions> parse_replay_options(int argc, const char* const* argv, std::optional<int> ranks);

}  // namespace ringmark::replay
