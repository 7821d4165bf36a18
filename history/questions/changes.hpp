// Change points: when the level of a series changed for good, by how much, and how sure that is.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "history/questions/point.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {

struct Change {
  enum class Kind { step, drift };

  std::size_t first;  ///< index of the first point that it affects
  std::size_t last;   ///< of a drift: the first point at the new level, or the latest point; of a step: `first`
  Kind kind;
  double ratio;       ///< level after over level before; for a drift, in total
  Interval interval;  ///< 95 %, of the ratio
  double p;           ///< probability that noise alone raises an alarm this strong in the cluster within a year

  bool operator==(const Change&) const = default;
};

struct ChangeOptions {
  double false_alarms_per_year = 1;  ///< of the whole cluster, with a check after every launch
  std::size_t series = 1;            ///< of the cluster, which share the false alarms
  double least_percent = 1;          ///< smaller changes are not reported
  /// Launches that follow the first of them within this time share their noise and count once, by their median.
  std::chrono::seconds same_night = std::chrono::hours(6);
};

/// The changes in time order. Points must be in time order as well.
///
/// An alarm depends only on the points up to the one that raises it, so a check after every launch raises the same
/// alarms as one check of the whole series. Later points improve the place and size of a change, withdraw it if the
/// level turns out to have stayed, or join steps in one direction into a drift.
///
/// A level lasts for five nights or more, so one or two slow nights are not a change, and finding one takes ten nights.
std::vector<Change> changes_in(std::span<const Point> points, const ChangeOptions& options);

}  // namespace ringmark::history
