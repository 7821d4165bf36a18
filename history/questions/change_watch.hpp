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

  /// Returns true if this night raises an alarm.
  bool add(const Night& night);

  /// Index of the first night of each stretch of one level: 0, then one for each change that has not been withdrawn.
  const std::vector<std::size_t>& starts() const { return starts_; }
  const std::vector<double>& levels() const { return levels_; }

 private:
  std::span<const double> stretch(std::size_t start) const;
  bool is_alarm(const Split& split, std::span<const double> stretch, double false_alarms) const;
  void place_again();
  void withdraw_what_does_not_hold();
  /// The first night of the stretch before the last start, as far back as nights are considered.
  std::size_t begin_before_last() const;

  ChangeOptions options_;
  SlidingNoise noise_;  ///< of the current stretch
  std::vector<double> levels_;
  std::vector<std::size_t> starts_;
  std::chrono::sys_seconds last_{};
};

/// The expected number of false alarms per look, if an alarm is raised at this p.
double false_alarms_at(double p);
/// The inverse: the p at this number of false alarms per look.
double p_with(double false_alarms);
/// The same for the whole cluster in a year, with looks as far apart as these nights.
double false_alarms_per_year(double p, std::span<const Night> nights, const ChangeOptions& options);
/// The noise to assume at least: a tenth of the smallest change that is reported.
double least_noise(const ChangeOptions& options);

}  // namespace ringmark::history
