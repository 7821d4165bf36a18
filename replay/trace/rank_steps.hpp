// The steps of single ranks in a step with roles, each as a StepTrace of its own.
#pragma once

#include <vector>

#include "replay/trace/message_lines.hpp"

namespace ringmark::replay {

/// A rank's step. All ranks have the same channels in the same order: one for each group with more than one rank in
/// which some role calls, then one for each round of message lines. On a channel that a rank does not use, its group is
/// the rank alone. Calls in groups of a single rank are left out.
struct RankStep {
  StepTrace trace;
  std::vector<double> durations_us;  ///< by event; 0 for events that do not compute
};

class RankSteps {
 public:
  /// `trace` must outlive it; `durations_us` are by pass and event. Throws BadUsage as lines_of() does, and if only
  /// some members of a group call in it.
  RankSteps(const RoleTrace& trace, std::vector<std::vector<double>> durations_us);

  RankStep of(int rank) const;

 private:
  bool calls_in(std::size_t group, int rank) const;
  void require_all_members(std::size_t group, int rank) const;

  const RoleTrace& trace_;
  std::vector<std::vector<double>> durations_us_;
  LineRounds lines_;
  std::vector<std::vector<bool>> calls_;  ///< by role and group
  std::vector<int> channel_of_;           ///< by group; -1 where nobody calls
  int group_channels_ = 0;
};

}  // namespace ringmark::replay
