#include "bench/harness/summary.hpp"

#include "base/units.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {

void summarise(const std::vector<double>& times_us, Record& record) {
  const Sorted times(times_us);
  record.samples = times.size();
  record.time_us_min = times.min();
  record.time_us_p50 = times.median();
  record.time_us_p95 = times.tail(0.95);
  record.time_us_p99 = times.tail(0.99);
  record.time_us_max = times.max();
  record.time_us_mean = times.mean();
  if (const auto interval = times.median_interval()) {
    record.time_us_ci_low = interval->low;
    record.time_us_ci_high = interval->high;
  }
}

void add_bandwidths(double bus_factor, Record& record) {
  const double gigabytes_us = static_cast<double>(record.size_bytes) / bytes_per_us_per_GBps;
  const auto is_positive = [](std::optional<double> time_us) { return time_us.value_or(0) > 0; };
  if (is_positive(record.time_us_p50)) {
    record.algbw_GBps = gigabytes_us / *record.time_us_p50;
    record.busbw_GBps = *record.algbw_GBps * bus_factor;
  }
  if (is_positive(record.time_us_ci_low) && record.time_us_ci_high) {
    record.busbw_GBps_ci_low = gigabytes_us / *record.time_us_ci_high * bus_factor;
    record.busbw_GBps_ci_high = gigabytes_us / *record.time_us_ci_low * bus_factor;
  }
}

}  // namespace ringmark
