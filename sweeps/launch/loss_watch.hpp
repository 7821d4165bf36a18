// Ends a launch whose ranks are over and whose launcher is not: hydra waits for the host that was lost.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/system/deadline.hpp"

namespace ringmark::sweep {

class LossWatch {
 public:
  /// `failures` is the file to which the launch's ranks append what ended them.
  LossWatch(std::string failures, Clock::duration patience) : failures_(std::move(failures)), patience_(patience) {}

  /// True once a rank that ended has named another one as lost, and `patience` has passed since this was seen. A scan
  /// of links goes on without a lost rank, whose own word therefore does not count.
  bool must_end();

 private:
  std::string failures_;
  Clock::duration patience_;
  std::optional<Deadline> until_{};
};

}  // namespace ringmark::sweep
