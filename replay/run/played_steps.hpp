// The steps that a replay has played, known to every rank, and their typical times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/step/step_table.hpp"
#include "results/files/sink.hpp"
#include "results/schema/record.hpp"

namespace ringmark::replay {

struct PlayedStep {
  double total_us = 0;   ///< of the rank that ended last
  StepTimes times;       ///< of the slowest rank
  int slowest_rank = 0;  ///< the rank for which others waited longest, or that ended last
  double skew_us = 0;    ///< of the entries into the collectives of all ranks
  double clock_error_us = 0;
  std::vector<double> begin_us;  ///< by rank, on rank 0's clock
  std::vector<RankTimes> ranks;
};

/// All functions except add, size and samples need at least one step.
class PlayedSteps {
 public:
  void add(PlayedStep step) { steps_.push_back(std::move(step)); }
  std::size_t size() const { return steps_.size(); }

  /// Median of each part over the steps, and of the total: the parts need not add up to it exactly.
  StepTimes typical() const;
  PartTimes typical_whole() const;
  std::vector<RankTimes> typical_ranks() const;
  double typical_skew_us() const;

  /// The rank that was the slowest in most steps.
  int slowest_rank() const;
  /// The rank with the greatest typical lateness; empty if none was late.
  std::optional<int> waited_for() const;

  Samples samples() const;

 private:
  std::vector<PlayedStep> steps_;
};

/// The console's text about the steps; `record` is their result row.
std::string result_text(const StepTrace& trace, const PlayedSteps& steps, const Record& record);

}  // namespace ringmark::replay
