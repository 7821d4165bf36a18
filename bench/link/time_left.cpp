#include "bench/link/time_left.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ringmark {

void TimeLeft::expect_no_more() {
  for (auto& [measurement, kind] : kinds_) kind.left = 0;
}

void TimeLeft::took(const LinkMeasurement& measurement, double seconds) {
  auto& kind = kinds_[measurement];
  kind.left -= std::min<std::size_t>(kind.left, 1);
  ++kind.done;
  kind.took_s += seconds;
  passed_s_ += seconds;
}

double TimeLeft::seconds() const {
  std::size_t done = 0;
  for (const auto& [measurement, kind] : kinds_) done += kind.done;
  double left_s = 0;
  for (const auto& [measurement, kind] : kinds_) {
    const double mean_s = kind.done > 0 ? kind.took_s / static_cast<double>(kind.done)
                                        : passed_s_ / static_cast<double>(std::max<std::size_t>(done, 1));
    left_s += static_cast<double>(kind.left) * mean_s;
  }
  return left_s;
}

std::string TimeLeft::announcement() {
  constexpr double least_s = 2, least_change = 0.25;
  const double left_s = seconds(), end_s = passed_s_ + left_s;
  if (left_s < least_s) return "";
  const bool has_changed = std::abs(end_s - announced_end_s_) > least_change * announced_left_s_;
  if (!has_changed && left_s > announced_left_s_ / 2) return "";
  announced_left_s_ = left_s;
  announced_end_s_ = end_s;
  return fmt::format("# about {:.0f} s left\n", left_s);
}

}  // namespace ringmark
