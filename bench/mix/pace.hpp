// How often each group of a mix repeats its operation in a window, based on the operation's time so far.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/system/deadline.hpp"
#include "bench/mix/mix_groups.hpp"

namespace ringmark::mix {

class Pace {
 public:
  /// `window` is how long a group should run; all `ranks` of the run keep and exchange its times. Until a group has
  /// run, a link of 1 MB/s is assumed.
  Pace(const std::vector<MixGroup>& groups, std::chrono::duration<double> window, int ranks);

  /// The maximum number of operations of a group in a window.
  int most_times() const { return most_times_; }
  int times_alone(std::size_t group) const { return times_for(alone_us_[group]); }
  /// By group, chosen so that all end at about the same time.
  std::vector<int> times_together() const;

  /// Records how long an operation of the group took in the last window.
  void took_alone(std::size_t group, double operation_us) { alone_us_[group] = operation_us; }
  void took_together(std::size_t group, double operation_us) { together_us_[group] = operation_us; }
  /// Until the groups have run together, an operation is assumed to take twice its time alone.
  void guess_together(std::size_t group) { together_us_[group] = 2 * alone_us_[group]; }

  /// The maximum time of a window of these groups, for ranks that are in none of them and wait; `times` is by group.
  Clock::duration longest(const std::vector<std::size_t>& groups, const std::vector<int>& times) const;

 private:
  int times_for(double operation_us) const;

  double window_us_;
  int most_times_;
  std::vector<double> alone_us_, together_us_;  ///< by group: an operation in the last window
};

}  // namespace ringmark::mix
