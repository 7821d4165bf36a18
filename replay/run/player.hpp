// Plays a step on one rank: real collectives, and time in the place of computation.
#pragma once

#include <set>
#include <vector>

#include "replay/run/channels.hpp"
#include "replay/run/gpu_compute.hpp"
#include "replay/step/step_graph.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// How a rank spends the time in which its device would compute. Collectives progress in any case.
enum class Pretence {
  busy,    ///< it looks after the network all the time
  asleep,  ///< it leaves the core to others, and looks after the network every few dozen microseconds
  on_gpu,  ///< kernels of that length run on a GPU, and the processor looks after them and the network
};
/// As --compute has it: "busy".
std::string_view name(Pretence pretence);

class Player {
 public:
  /// All must outlive the player. durations_us are this rank's, by event. `gpu` is for that pretence, and null
  /// otherwise. `keeps_order`: collectives start in the order of the trace, whatever communicator they are of, as NCCL
  /// asks for: communicators that share a device may wait for each other. So one that is ready waits until those before
  /// it are, which on a framework's streams it would not.
  Player(const StepTrace& trace, const Channels& channels, std::vector<double> durations_us, Pretence pretence,
         Clock::duration patience, GpuCompute* gpu = nullptr, bool keeps_order = false);

  /// A computation begins when the last thing that it waited for ended, even if that was noticed later: so small delays
  /// in noticing do not add up. Throws TimedOut if nothing ends for as long as `patience`.
  Timeline play();

 private:
  struct Running {
    int event;
    double end_us;  ///< of a computation
    Ticket ticket;  ///< of a collective
  };

  [[noreturn]] void give_up(const Running& stuck) const;
  void begin(int event, double ready_us);
  void start(int collective);
  void complete(int event, double end_us);
  /// Passes on what has ended, with all that ends by that at once.
  void settle();
  bool complete_computations(double now_us);
  bool complete_collectives();
  void let_time_pass(double now_us);
  double elapsed_us() const;

  const StepTrace& trace_;
  const Channels& channels_;
  std::vector<double> durations_us_;
  Pretence pretence_;
  Clock::duration patience_;
  GpuCompute* gpu_;
  std::vector<int> waits_for_;           ///< how many events each waits for
  std::vector<std::vector<int>> frees_;  ///< which events wait for each
  std::vector<int> order_;               ///< of collectives, if it is kept
  /// Behind each event: so long at the least, until something is to be done but to let computations end.
  std::vector<double> quiet_us_;

  // of the step being played
  Clock::time_point origin_;
  Timeline line_;
  std::vector<int> missing_;
  std::vector<double> ready_us_;
  std::vector<Running> computations_, collectives_;
  std::vector<std::pair<int, double>> ended_;  ///< not yet told to what waits for them
  std::size_t left_ = 0;
  std::set<int> held_;       ///< collectives that are ready before their turn
  std::size_t started_ = 0;  ///< of those in order
};

}  // namespace ringmark::replay
