// Plays a step repeatedly under the harness's rules, and reports it as a row and a table.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/flags/run_options.hpp"
#include "bench/harness/rank_resources.hpp"
#include "replay/run/played_steps.hpp"
#include "replay/run/player.hpp"
#include "replay/run/replay_plan.hpp"
#include "results/files/sink.hpp"

namespace ringmark::replay {

class ReplaySession {
 public:
  /// `sink` is rank 0's, and may be null.
  ReplaySession(const ReplayPlan& plan, const RunOptions& options, RankResources& resources, Channels& channels,
                std::string run_id, Sink* sink);

  /// Returns the exit status. Rank 0 prints the table.
  int run();

 private:
  void measure_into(Record& record);
  PlayedStep play_step(PathCounters& counters);
  std::vector<double> entries_of_all();
  double needed_bytes();
  void describe(Record& record) const;

  const ReplayPlan& plan_;
  const RunOptions& options_;
  RankResources& resources_;
  Channels& channels_;
  std::string run_id_;
  Sink* sink_;
  std::unique_ptr<GpuCompute> gpu_;  ///< null unless the GPU computes
  std::unique_ptr<CoreWork> core_;   ///< null unless computations do real work
  Player player_;
  std::vector<int> world_collectives_;  ///< events
  PlayedSteps steps_;
  ClockOffset clock_;
  Timeline last_;
  double last_origin_us_ = 0;
};

}  // namespace ringmark::replay
