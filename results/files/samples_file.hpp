// The reader of samples/1: the times of each iteration on each rank of a launch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/files/sink.hpp"

namespace ringmark {

/// A row's line.
struct SampledRow {
  std::string run_id;
  std::vector<std::string> hosts;  ///< of each rank; empty if unknown
  std::optional<Timing> timing;
  Samples samples;  ///< all non-empty matrices have the same number of ranks and iterations

  bool is_step() const { return !samples.computation_us.empty(); }
};

/// Calls visit for each row in turn, since a file may be larger than memory. A cut-off last line is skipped. Throws
/// BadUsage with file and line.
void read_samples(const std::string& file, const std::function<void(SampledRow row)>& visit);

}  // namespace ringmark
