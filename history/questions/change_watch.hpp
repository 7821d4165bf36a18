// A watch on a series: reads levels one by one and raises alarms at a given rate of false ones.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "history/questions/changes.hpp"
#include "history/questions/nights.hpp"
#include "history/questions/sliding_noise.hpp"
#include "history/questions/split.hpp"

namespace ringmark::history {

class ChangeWatch {
 public:
  explicit ChangeWatch(const ChangeOptions& options);

  /// True if it raises an alarm.
  bool add(const Night& night);

  /// Index of the first night of each stretch of one level: 0, then one for each change that still holds.
  const std::vector<std::size_t>& starts() const { return starts_; }
  const std::vector<double>& levels() const { return levels_; }

 private:
  std::span<const double> stretch(std::size_t start) const;
  bool is_alarm(const Split& split, std::span<const double> stretch, double false_alarms) const;
  void place_again();
  void withdraw_what_does_not_hold();
  /// Of the stretch before the last start, as far back as is looked at.
  std::size_t begin_before_last() const;

  ChangeOptions options_;
  SlidingNoise noise_;  ///< of the current stretch
  std::vector<double> levels_;
  std::vector<std::size_t> starts_;
  std::chrono::sys_seconds last_{};
};

/// The expected false alarms, for each look, of a watch that raises an alarm at this p.
double false_alarms_at(double p);
/// The opposite: p at that many false alarms.
double p_with(double false_alarms);
/// The same of the cluster in a year of looks as far apart as these nights are.
double false_alarms_per_year(double p, std::span<const Night> nights, const ChangeOptions& options);
/// Noise below a tenth of the least change makes no difference.
double least_noise(const ChangeOptions& options);

}  // namespace ringmark::history
