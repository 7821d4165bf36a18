#include "bench/harness/start_window.hpp"

#include <sched.h>

namespace ringmark {
namespace {

/// The widest window: longer than a scheduler leaves a rank without a core where ranks share cores.
constexpr double widest_us = 10'000;
constexpr int trial_starts = 10;
constexpr double most_late = 0.1;

}  // namespace

void StartWindow::prepare(double to_rank0_us) {
  to_rank0_us_ = to_rank0_us;
  // All ranks have the same share and the same width, so that all widen it together. The starts of the last block count
  // as well.
  for (;; width_us_ *= 2) {
    while (starts_ < trial_starts) wait();
    const double share = control_.max(static_cast<double>(late_) / starts_);
    starts_ = late_ = 0;
    if (share <= most_late || width_us_ >= widest_us) return;
  }
}

double StartWindow::wait() {
  const double start_us = control_.latest(now_us() + to_rank0_us_) + width_us_ - to_rank0_us_;
  ++starts_;
  if (now_us() > start_us) ++late_;
  while (now_us() < start_us) ::sched_yield();
  return start_us;
}

}  // namespace ringmark
