// Launches settings one after the other into a results folder.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/system/signal_queue.hpp"
#include "sweeps/folder.hpp"
#include "sweeps/plan.hpp"
#include "sweeps/progress.hpp"

namespace ringmark::sweep {

/// A signal told the runner to end; nothing of the launch in flight was recorded.
class Interrupted final : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// The cluster or the folder cannot go on, whatever the setting. What was done is kept, and the launch in flight is
/// not.
class CannotGoOn final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LaunchRequest {
  std::size_t point;
  int repetition;
  std::chrono::milliseconds deadline;
  bool is_verification = false;
};

class Runner {
 public:
  /// A setting that failed so often in the same way is not launched again.
  static constexpr int most_failures = 3;

  /// Ends what an earlier runner of this folder may have left running here. All arguments outlive it.
  Runner(const Sweep& sweep, const Plan& plan, Folder& folder, const SignalQueue& signals);

  /// Starts a process on every node, which leaves what it finds there for the manifest. Throws CannotGoOn with what
  /// the launcher said.
  nlohmann::json visit_nodes() const;

  /// Runs the next launch and records it. Throws Interrupted, CannotGoOn or std::system_error, and has then recorded
  /// nothing.
  Done launch(const LaunchRequest& request, Progress& progress);

  /// Columns after those of the contract.
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  std::optional<std::string> given_up(std::size_t point) const;
  void count_failure(const Done& done);
  void heed_signals() const;  ///< throws Interrupted
  void check_that_it_can_go_on(std::size_t number) const;

  const Sweep& sweep_;
  const Plan& plan_;
  Folder& folder_;
  const SignalQueue& signals_;
  std::vector<std::string> columns_;
  std::size_t widest_point_ = 0;                                ///< the setting on the most nodes
  std::map<std::size_t, std::map<std::string, int>> failures_;  ///< of each point, by the way it failed
};

}  // namespace ringmark::sweep
