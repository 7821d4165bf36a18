// What a rank plays, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/flags/replay_options.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "results/schema/workload.hpp"

namespace ringmark::replay {

struct ReplayPlan {
  StepTrace trace;                   ///< this rank's step, which is that of all ranks unless they have roles
  std::vector<double> durations_us;  ///< on a rank that is not slow
  /// Makes another rank's step, where ranks have roles; else empty.
  std::function<StepTrace(int rank)> step_of;
  std::uint64_t fingerprint = 0;  ///< of the step of all ranks
  std::map<int, double> slow_down;
  ComputeMode compute_mode = ComputeMode::busy;
  bool check = true;
  double compute_scale = 1, size_scale = 1;
  std::string algorithm = "auto";
  std::string device;    ///< empty if times are measured or come from the trace
  std::string timeline;  ///< a file for the last step of all ranks; empty for none

  bool has_roles() const { return step_of != nullptr; }
  StepTrace step_on(int rank) const { return has_roles() ? step_of(rank) : trace; }
};

/// The plan of one of `ranks` ranks. `given` is the trace, if the options name a file. Throws BadUsage if the step is
/// not for that many ranks, or the options do not fit it.
ReplayPlan make_plan(const ReplayOptions& options, const AnyTrace& given, int rank, int ranks);

}  // namespace ringmark::replay
