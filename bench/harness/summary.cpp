#include "bench/harness/summary.hpp"

#include "results/statistics.hpp"

namespace ringmark {

void summarise(const std::vector<double>& times_us, double bus_factor, Record& record) {
  const Sorted times(times_us);
  record.samples = times.size();
  record.time_us_min = times.min();
  record.time_us_p50 = times.median();
  record.time_us_p95 = times.tail(0.95);
  record.time_us_p99 = times.tail(0.99);
  record.time_us_max = times.max();
  record.time_us_mean = times.mean();
  constexpr double bytes_per_us_per_GBps = 1e3;
  const double gigabytes_us = static_cast<double>(record.size_bytes) / bytes_per_us_per_GBps;
  if (times.median() > 0) {
    record.algbw_GBps = gigabytes_us / times.median();
    record.busbw_GBps = *record.algbw_GBps * bus_factor;
  }
  if (const auto interval = times.median_interval()) {
    record.time_us_ci_low = interval->low;
    record.time_us_ci_high = interval->high;
    if (interval->low > 0) {
      record.busbw_GBps_ci_low = gigabytes_us / interval->high * bus_factor;
      record.busbw_GBps_ci_high = gigabytes_us / interval->low * bus_factor;
    }
  }
}

}  // namespace ringmark
