// The reader of samples/1: what a launch measured in each iteration on each rank.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/sink.hpp"

namespace ringmark {

/// A row's line.
struct SampledRow {
  std::string run_id;
  std::vector<std::string> hosts;  ///< of each rank; empty if unknown
  std::optional<Timing> timing;
  Samples samples;  ///< as many ranks, and iterations on each, in all of them that exist

  bool is_step() const { return !samples.computation_us.empty(); }
};

/// Calls visit for each row, one after another: a file may be larger than memory. A last line that was cut off is left
/// out. Throws BadUsage with file and line.
void read_samples(const std::string& file, const std::function<void(SampledRow row)>& visit);

}  // namespace ringmark
