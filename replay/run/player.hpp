// Plays a step on one rank, with real collectives and messages and a stand-in for computation.
#pragma once

#include <set>
#include <vector>

#include "replay/run/channels.hpp"
#include "replay/run/core_work.hpp"
#include "replay/run/gpu_compute.hpp"
#include "replay/step/timeline.hpp"
#include "results/schema/workload.hpp"

namespace ringmark::replay {

class Player {
 public:
  /// The referenced objects must outlive the player. durations_us are this rank's, by event. `gpu` is null except for
  /// on_gpu, and `core` except for work. With `keeps_order` the calls of all communicators start in the order of the
  /// trace: NCCL requires it, since communicators that share a device may wait for each other. So a ready call waits
  /// for all earlier ones, unlike on a framework's streams.
  Player(const StepTrace& trace, const Channels& channels, std::vector<double> durations_us, ComputeMode compute_mode,
         Clock::duration patience, GpuCompute* gpu = nullptr, bool keeps_order = false, CoreWork* core = nullptr);

  /// Plays the step once. A computation begins at the end of its last dependency, even if that was noticed later, so
  /// that small delays do not add up. Computations that do real work run one after another, however many streams there
  /// are. Throws TimedOut if no event ends within `patience`.
  Timeline play();

 private:
  struct Running {
    int event;
    double end_us;       ///< for a computation
    Ticket ticket;       ///< for a collective or message
    double work_us = 0;  ///< what is left of a computation that does real work
  };

  [[noreturn]] void give_up(const Running& stuck) const;
  void begin(int event, double ready_us);
  void start(int event);
  void complete(int event, double end_us);
  /// Releases the events that waited for ended ones, repeatedly, since some of them end at once.
  void settle();
  bool complete_computations(double now_us);
  bool complete_calls();
  void let_time_pass(double now_us);
  double elapsed_us() const;

  const StepTrace& trace_;
  const Channels& channels_;
  std::vector<double> durations_us_;
  ComputeMode compute_mode_;
  Clock::duration patience_;
  GpuCompute* gpu_;
  CoreWork* core_;
  std::vector<int> waits_for_;           ///< how many events each waits for
  std::vector<std::vector<int>> frees_;  ///< which events wait for each
  std::vector<int> order_;               ///< calls in the trace's order; empty unless it is kept
  /// By event: minimum time after its end before a call can start or the step can end.
  std::vector<double> quiet_us_;

  // state of the current step
  Clock::time_point origin_;
  Timeline line_;
  std::vector<int> missing_;
  std::vector<double> ready_us_;
  std::vector<Running> computations_, calls_;
  std::vector<std::pair<int, double>> ended_;  ///< events and ends that settle() has not handled yet
  std::size_t left_ = 0;
  std::set<int> held_;       ///< calls that are ready before their turn
  std::size_t started_ = 0;  ///< number of calls of order_ that have started
};

}  // namespace ringmark::replay
