#include "bench/harness/stopping.hpp"

#include <algorithm>

#include "results/statistics.hpp"

namespace ringmark {
namespace {

constexpr std::size_t least_samples = 10;

}  // namespace

std::optional<StopReason> StoppingRule::reason(const std::vector<double>& samples_us,
                                               std::chrono::duration<double> elapsed) const {
  const auto done = static_cast<int>(samples_us.size());
  if (iterations) return done >= *iterations ? std::optional(StopReason::iterations) : std::nullopt;
  if (samples_us.size() >= least_samples) {
    const auto reached = median_precision_percent(Sorted(samples_us));
    if (reached && *reached <= precision_percent) return StopReason::precision;
  }
  if (done > 0 && elapsed >= max_time) return StopReason::time;
  if (done >= most_samples) return StopReason::samples;
  return std::nullopt;
}

int next_block(const StoppingRule& rule, int done, double typical_us) {
  constexpr double block_us = 100'000;
  const int left = (rule.iterations ? *rule.iterations : rule.most_samples) - done;
  const double wanted = typical_us > 0 ? block_us / typical_us : 1000;
  return std::clamp(static_cast<int>(std::min(wanted, 1000.0)), 1, std::max(left, 1));
}

}  // namespace ringmark
