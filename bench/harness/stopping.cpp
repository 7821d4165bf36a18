#include "bench/harness/stopping.hpp"

#include <algorithm>

#include "results/statistics/statistics.hpp"

namespace ringmark {
namespace {

constexpr std::size_t least_samples = 10;

}  // namespace

std::optional<StopReason> stop_reason(const MeasuringTime& limits, const std::vector<double>& samples_us,
                                      std::chrono::duration<double> elapsed) {
  const auto done = static_cast<int>(samples_us.size());
  if (limits.iterations) return done >= *limits.iterations ? std::optional(StopReason::iterations) : std::nullopt;
  if (samples_us.size() >= least_samples) {
    const auto reached = median_precision_percent(Sorted(samples_us));
    if (reached && *reached <= limits.precision_percent) return StopReason::precision;
  }
  if (done > 0 && elapsed >= limits.max_time) return StopReason::time;
  if (done >= limits.most_samples) return StopReason::samples;
  return std::nullopt;
}

int next_block(const MeasuringTime& limits, int done, double typical_us) {
  constexpr double block_us = 100'000;
  const int left = (limits.iterations ? *limits.iterations : limits.most_samples) - done;
  const double wanted = typical_us > 0 ? block_us / typical_us : 1000;
  return std::clamp(static_cast<int>(std::min(wanted, 1000.0)), 1, std::max(left, 1));
}

}  // namespace ringmark
