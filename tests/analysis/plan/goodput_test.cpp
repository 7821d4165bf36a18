#include "analysis/plan/goodput.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

constexpr double minute = 60, hour = 3600;

/// Figures 3 to 5 of Daly's paper: a write takes 5 minutes, a restart 10.
TEST(Goodput, best_intervals_are_those_that_daly_published) {
  EXPECT_NEAR(best_checkpoint_interval_s(5 * minute, 24 * hour) / minute, 117, 0.5);
  EXPECT_NEAR(best_checkpoint_interval_s(5 * minute, 6 * hour) / minute, 57, 0.5);
  EXPECT_NEAR(best_checkpoint_interval_s(5 * minute, 15 * minute) / minute, 9.1, 0.05);
  EXPECT_EQ(best_checkpoint_interval_s(40 * minute, 15 * minute), 15 * minute) << "where nothing can be written";
}

/// Distributed GraphLab (2012): 64 machines that fail once a year and write for 2 minutes: every 3 hours.
TEST(Goodput, nodes_fail_independently) {
  const Failures failures{.node_mtbf_hours = 365 * 24, .checkpoint_write_s = 2 * minute};
  EXPECT_NEAR(checkpoint_interval_s(failures, 64).value() / hour, 3, 0.05);
}

TEST(Goodput, no_other_interval_is_better_than_the_optimum) {
  Failures failures{.node_mtbf_hours = 4000, .checkpoint_write_s = 60, .restart_s = 600};
  const double best = goodput_of(failures, 256);
  const double interval_s = checkpoint_interval_s(failures, 256).value();
  EXPECT_GT(best, 0.9);
  EXPECT_LT(best, 1);
  for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
    failures.checkpoint_interval_s = interval_s * factor;
    EXPECT_LT(goodput_of(failures, 256), best) << factor;
  }
}

/// Llama 3 (arXiv 2407.21783): 419 unexpected interruptions in 54 days on 16,384 GPUs, more than 90 % of the time
/// effective. Its times of writing and restarting are not published: here half a minute and five minutes.
TEST(Goodput, is_near_what_llama_3_reached) {
  const double node_mtbf_hours = 54.0 * 24 * (16384.0 / 8) / 419;
  EXPECT_NEAR(goodput_of({.node_mtbf_hours = node_mtbf_hours, .checkpoint_write_s = 30, .restart_s = 300}, 2048), 0.9,
              0.03);
}

TEST(Goodput, is_finite_where_nothing_would_ever_end) {
  const double left = goodput_of({.node_mtbf_hours = 0.01, .checkpoint_write_s = 1e4, .restart_s = 1e6}, 4096);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 1e-9);
  EXPECT_EQ(goodput_of({}, 4096), 1);
}

}  // namespace
}  // namespace ringmark::analysis
