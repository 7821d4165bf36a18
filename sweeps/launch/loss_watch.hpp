// Ends a launch whose ranks have ended but whose launcher has not: hydra keeps waiting for a lost host.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/system/deadline.hpp"

namespace ringmark::sweep {

class LossWatch {
 public:
  /// `failures` is the file to which the launch's ranks append why they ended.
  LossWatch(std::string failures, Clock::duration patience) : failures_(std::move(failures)), patience_(patience) {}

  /// True once a rank that ended has named another one as lost, and `patience` has passed since then. A link scan
  /// continues without a lost rank, so a rank that reports itself as lost does not count.
  bool must_end();

 private:
  std::string failures_;
  Clock::duration patience_;
  std::optional<Deadline> until_{};
};

}  // namespace ringmark::sweep
