// A point in time after which a wait is an error. Every wait in the project takes one.
#pragma once

#include <algorithm>
#include <chrono>

namespace ringmark {

using Clock = std::chrono::steady_clock;

class Deadline {
 public:
  static Deadline after(Clock::duration wait) { return Deadline(Clock::now() + wait); }
  static Deadline at(Clock::time_point when) { return Deadline(when); }
  static Deadline now() { return Deadline(Clock::time_point::min()); }

  bool passed() const { return Clock::now() >= when_; }
  Clock::time_point when() const { return when_; }

  /// Time left, at least zero and at most `limit`.
  Clock::duration left(Clock::duration limit = std::chrono::hours(24)) const {
    if (when_ == Clock::time_point::min()) return Clock::duration::zero();
    return std::clamp(when_ - Clock::now(), Clock::duration::zero(), limit);
  }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

}  // namespace ringmark
