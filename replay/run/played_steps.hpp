// The steps that a replay has played, as every rank knows them, and what is typical of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/step/step_table.hpp"
#include "results/record.hpp"
#include "results/sink.hpp"

namespace ringmark::replay {

struct PlayedStep {
  double total_us = 0;   ///< of the rank that ended last
  StepTimes times;       ///< of the slowest rank
  int slowest_rank = 0;  ///< that others waited for the longest, or ended last
  double skew_us = 0;    ///< of the entries into the collectives of all ranks
  double clock_error_us = 0;
  std::vector<double> begin_us;  ///< by rank, on rank 0's clock
  std::vector<RankTimes> ranks;
};

/// All but add, size and samples need a step.
class PlayedSteps {
 public:
  void add(PlayedStep step) { steps_.push_back(std::move(step)); }
  std::size_t size() const { return steps_.size(); }

  /// Medians of the parts over the steps; the total is the median as well, so that parts need not add up to it exactly.
  StepTimes typical() const;
  PartTimes typical_whole() const;
  std::vector<RankTimes> typical_ranks() const;
  double typical_skew_us() const;

  /// The rank that was the slowest of the most steps.
  int slowest_rank() const;
  /// The one whose typical lateness is the greatest; nothing if none was late.
  std::optional<int> waited_for() const;

  Samples samples() const;

 private:
  std::vector<PlayedStep> steps_;
};

/// What the console says of them; `record` is their row.
std::string result_text(const StepTrace& trace, const PlayedSteps& steps, const Record& record);

}  // namespace ringmark::replay
