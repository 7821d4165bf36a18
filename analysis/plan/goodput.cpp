#include "analysis/plan/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace ringmark::analysis {
namespace {

constexpr double seconds_per_hour = 3600;

}  // namespace

double best_checkpoint_interval_s(double write_s, double mtbf_s) {
  if (write_s >= 2 * mtbf_s) return std::max(least_interval_s, mtbf_s);
  const double ratio = write_s / (2 * mtbf_s);
  const double interval_s = std::sqrt(2 * write_s * mtbf_s) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - write_s;
  return std::max(least_interval_s, interval_s);
}

std::optional<double> checkpoint_interval_s(const Failures& failures, double nodes) {
  if (failures.node_mtbf_hours <= 0) return std::nullopt;
  const double mtbf_s = failures.node_mtbf_hours * seconds_per_hour / nodes;
  return failures.checkpoint_interval_s.value_or(best_checkpoint_interval_s(failures.checkpoint_write_s, mtbf_s));
}

double goodput_of(const Failures& failures, double nodes) {
  const auto interval_s = checkpoint_interval_s(failures, nodes);
  if (!interval_s) return 1;
  const double mtbf_s = failures.node_mtbf_hours * seconds_per_hour / nodes;
  const double in_interval =
      std::min(most_failures_in_an_interval, (*interval_s + failures.checkpoint_write_s) / mtbf_s);
  const double in_restart = std::min(most_failures_in_a_restart, failures.restart_s / mtbf_s);
  return *interval_s / (mtbf_s * std::exp(in_restart) * std::expm1(in_interval));
}

Interval failure_range(const Failures& failures, double nodes) {
  const auto days_over_planned = [&](double factor) {
    auto changed = failures;
    changed.node_mtbf_hours *= factor;
    return goodput_of(failures, nodes) / goodput_of(changed, nodes);
  };
  return {days_over_planned(failures.mtbf_range.high), days_over_planned(failures.mtbf_range.low)};
}

}  // namespace ringmark::analysis
