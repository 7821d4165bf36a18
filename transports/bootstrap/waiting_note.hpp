// Prints lines on standard error while this rank waits for others, so that the wait is not mistaken for a hang.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/system/deadline.hpp"

namespace ringmark {

/// A rank that others wait for.
struct LateRank {
  int rank = 0;
  std::string host{};  ///< empty while it is unknown
};
/// "rank 1 on node2"; "5 of 8 ranks: 1 on node2, 2 on node3, 3 on node4, …".
std::string in_words(const std::vector<LateRank>& late, int ranks);

class WaitingNote {
 public:
  static constexpr std::chrono::seconds usual_pause{5};
  explicit WaitingNote(Clock::duration pause = usual_pause);

  /// The time until the next line.
  Clock::duration left() const { return next_.left(); }
  /// Prints "ringmark: waiting for WHOM (12 s)" if it is time for a line.
  void say_if_due(const std::function<std::string()>& whom);

 private:
  Clock::duration pause_;
  Clock::time_point begin_ = Clock::now();
  Deadline next_;
};

}  // namespace ringmark
