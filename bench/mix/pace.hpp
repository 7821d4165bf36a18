// How often each group of a mix runs its operation in a window, by the time that the operation took before.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/system/deadline.hpp"
#include "bench/mix/mix_groups.hpp"

namespace ringmark::mix {

class Pace {
 public:
  /// `window`: how long a group shall run; `ranks` of the whole run, whose times all of them keep and exchange. Until a
  /// group has run, a link of 1 MB/s is assumed.
  Pace(const std::vector<MixGroup>& groups, std::chrono::duration<double> window, int ranks);

  /// The most operations of a group in a window.
  int most_times() const { return most_times_; }
  int times_alone(std::size_t group) const { return times_for(alone_us_[group]); }
  /// By group, so that all end at about the same time.
  std::vector<int> times_together() const;

  /// An operation of the group took so long in the last window.
  void took_alone(std::size_t group, double operation_us) { alone_us_[group] = operation_us; }
  void took_together(std::size_t group, double operation_us) { together_us_[group] = operation_us; }
  /// Until the groups have run together, an operation is taken to need twice its time alone.
  void guess_together(std::size_t group) { together_us_[group] = 2 * alone_us_[group]; }

  /// The time that a window of these groups may take, which ranks in none of them wait; `times` is by group.
  Clock::duration longest(const std::vector<std::size_t>& groups, const std::vector<int>& times) const;

 private:
  int times_for(double operation_us) const;

  double window_us_;
  int most_times_;
  std::vector<double> alone_us_, together_us_;  ///< by group: an operation in the last window
};

}  // namespace ringmark::mix
