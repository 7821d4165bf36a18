// A start at an agreed time on rank 0's clock, so that no rank starts while messages from others are already arriving
// (the window of ReproMPI: Hunold and Carpen-Amarie, 2016).
#pragma once

#include <optional>

#include "bench/harness/control.hpp"

namespace ringmark {

class StartWindow {
 public:
  explicit StartWindow(Control& control) : control_(control) {}

  /// All ranks call it between blocks: synchronizes this rank's clock, and widens the window until every rank learns
  /// about at most a tenth of its starts too late. `typical_us` is the time from a start to the last rank's end, the
  /// same on all ranks; empty if unknown.
  void prepare(double to_rank0_us, std::optional<double> typical_us);
  /// The minimum time from one start to the next.
  double period_us() const { return quiet_us_ + width_us_; }

  /// Waits until the agreed time, and returns it on this rank's clock. All ranks call it; it also acts as a barrier.
  double wait();

 private:
  Control& control_;
  double to_rank0_us_ = 0;
  double width_us_ = 50;  ///< from the arrival of the last rank to the start
  /// How long a rank that finishes early stays quiet after a start, since its messages would take up the others' cores.
  double quiet_us_ = 0, last_start_us_ = 0;
  int starts_ = 0, late_ = 0;
};

}  // namespace ringmark
