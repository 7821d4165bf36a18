// When a row has enough samples. Every rank decides from the same samples, so all decide the same.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "results/workload.hpp"

namespace ringmark {

struct StoppingRule {
  std::optional<int> iterations;  ///< exactly so many, and nothing else counts
  double precision_percent = 2;
  std::chrono::duration<double> max_time{5};
  int most_samples = 20'000;

  /// Nothing: go on. `elapsed` is the same on all ranks.
  std::optional<StopReason> reason(const std::vector<double>& samples_us, std::chrono::duration<double> elapsed) const;
};

/// How many operations to time before the ranks next compare notes: about a tenth of a second's worth.
int next_block(const StoppingRule& rule, int done, double typical_us);

}  // namespace ringmark
