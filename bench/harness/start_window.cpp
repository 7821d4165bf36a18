#include "bench/harness/start_window.hpp"

#include <algorithm>

#include <sched.h>

namespace ringmark {
namespace {

/// The widest window: longer than a scheduler keeps a rank off its core when ranks share cores.
constexpr double widest_us = 10'000;
constexpr int trial_starts = 10;
constexpr double most_late = 0.1;
/// Maximum quiet time in addition to the typical time.
constexpr double most_patience_us = 200;

void yield_until(double time_us) {
  while (now_us() < time_us) ::sched_yield();
}

}  // namespace

void StartWindow::prepare(double to_rank0_us, std::optional<double> typical_us) {
  to_rank0_us_ = to_rank0_us;
  quiet_us_ = 0;
  // All ranks use the largest share of late starts, so that all widen the window together. Starts of the last block
  // count too.
  for (bool is_wide = false; !is_wide;) {
    while (starts_ < trial_starts) wait();
    is_wide = control_.max(static_cast<double>(late_) / starts_) <= most_late || width_us_ >= widest_us;
    starts_ = late_ = 0;
    if (!is_wide) width_us_ = std::min(2 * width_us_, widest_us);
  }
  if (typical_us) quiet_us_ = *typical_us + std::min(*typical_us, most_patience_us);
}

double StartWindow::wait() {
  yield_until(last_start_us_ + quiet_us_);
  const double start_us = control_.latest(now_us() + to_rank0_us_) + width_us_ - to_rank0_us_;
  ++starts_;
  if (now_us() > start_us) ++late_;
  yield_until(start_us);
  last_start_us_ = start_us;
  return start_us;
}

}  // namespace ringmark
