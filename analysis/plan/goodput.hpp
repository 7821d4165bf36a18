// Time lost to failures of nodes, after J. T. Daly, "A higher order estimate of the optimum checkpoint interval for
// restart dumps" (FGCS 2006).
#pragma once

#include <optional>

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

struct Failures {
  double node_mtbf_hours = 0;  ///< 0: nodes do not fail
  Interval mtbf_range{1, 1};   ///< 5 and 95 % points, relative to node_mtbf_hours
  double checkpoint_write_s = 0, restart_s = 0;
  std::optional<double> checkpoint_interval_s;  ///< of training between two checkpoints; nothing: Daly's optimum
};

/// Bounds that keep the arithmetic finite for a job that would never finish.
constexpr double least_interval_s = 1, most_failures_in_an_interval = 300, most_failures_in_a_restart = 100;

/// Seconds of training between two checkpoints that minimize the time of a job.
double best_checkpoint_interval_s(double write_s, double mtbf_s);

/// For a job on this many nodes that stops when any of them fails. Nothing if nodes do not fail.
std::optional<double> checkpoint_interval_s(const Failures& failures, double nodes);

/// Share of the time in which the job advances; the rest goes to checkpoints, lost work and restarts.
double goodput_of(const Failures& failures, double nodes);

/// The time of a job relative to that with node_mtbf_hours, at both ends of mtbf_range.
Interval failure_range(const Failures& failures, double nodes);

}  // namespace ringmark::analysis
