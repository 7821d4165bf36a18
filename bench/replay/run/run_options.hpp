// The command line of ringmark-replay run.
#pragma once

#include <optional>
#include <string>

#include "bench/harness/run_options.hpp"
#include "bench/replay/compute_flags.hpp"
#include "bench/replay/step_flags.hpp"

namespace ringmark::replay {

struct ReplayOptions : RunOptions {
  std::string file;                     ///< a trace, or
  std::optional<StepFlags::Step> step;  ///< a step by flags; its ranks are those that are started
  ComputeFlags::Given compute;
  std::string algorithm = "auto", pretence = "auto", timeline, samples_path;
  bool check = true;
};

Parsed<ReplayOptions> parse_replay_options(int argc, const char* const* argv);

}  // namespace ringmark::replay
