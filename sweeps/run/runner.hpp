// Launches settings one after another and records them in a results folder.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/system/signal_queue.hpp"
#include "sweeps/file/plan.hpp"
#include "sweeps/launch/launch_rows.hpp"
#include "sweeps/launch/launcher_words.hpp"
#include "sweeps/launch/process_group.hpp"
#include "sweeps/nodes/nodes.hpp"
#include "sweeps/run/folder.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::sweep {

/// The cluster or the folder is unusable, whatever the setting. Finished launches are kept, the current one is not.
class CannotGoOn final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LaunchRequest {
  std::size_t point;
  int repetition;
  std::chrono::milliseconds deadline;
  bool is_verification = false;
  std::optional<std::chrono::milliseconds> most{};  ///< for start and measuring together
};

class Runner {
 public:
  /// A setting that failed this often in the same way gets no further repetitions.
  static constexpr int most_failures = 3;

  /// Kills processes on this machine that an earlier runner of this folder may have left. All arguments must outlive
  /// the runner.
  /// `nodes` is for launchers with needs_nodes().
  Runner(const Sweep& sweep, const Plan& plan, Folder& folder, const SignalQueue& signals, Nodes* nodes = nullptr);

  /// Starts a process on every node, which collects the node's facts for the manifest. Throws CannotGoOn with the
  /// launcher's message, or with `cause`, the reason that a failed launch gave, in its place.
  nlohmann::json visit_nodes(const std::string& cause = "") const;

  /// Runs the next launch and records it. If it throws (Interrupted, CannotGoOn, std::system_error), nothing was
  /// recorded.
  Done launch(const LaunchRequest& request, Progress& progress);

 private:
  /// The row of the launch if it writes none.
  Record planned(const Resolved& resolved, std::size_t launch, int repetition) const;
  /// Runs the program, reads its rows and records its time in `done`.
  LaunchRows run(const LaunchRequest& request, const Resolved& resolved, const Record& planned, Done& done);
  Ending start(const Resolved& resolved, const std::vector<std::string>& program, const CommandRun& run);
  void take_score(const LaunchRows& launch, Done& done) const;
  std::optional<std::string> given_up(std::size_t point) const;
  void count_failure(const Done& done);
  void heed_signals() const;  ///< throws Interrupted
  std::string mark_of_launch(std::size_t number) const;
  void check_that_it_can_go_on(std::size_t number, const std::optional<LostProcess>& lost) const;

  const Sweep& sweep_;
  const Plan& plan_;
  Folder& folder_;
  const SignalQueue& signals_;
  Nodes* nodes_;
  std::string mark_;  ///< of the processes that this folder's runners start
  std::vector<std::string> columns_;
  std::size_t widest_point_ = 0;                                ///< the setting with the most nodes
  std::map<std::size_t, std::map<std::string, int>> failures_;  ///< count by point and kind of failure
};

}  // namespace ringmark::sweep
