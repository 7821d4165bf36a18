#include "bench/harness/stopping.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

using std::chrono::seconds;

TEST(Stopping, at_a_fixed_number_nothing_else_counts) {
  const MeasuringTime limits{.iterations = 3, .max_time = seconds(1)};
  EXPECT_FALSE(stop_reason(limits, {5, 5}, seconds(100)));
  EXPECT_EQ(stop_reason(limits, {5, 5, 5}, seconds(0)), StopReason::iterations);
}

TEST(Stopping, once_the_median_is_known_well_enough) {
  const MeasuringTime limits{.precision_percent = 2};
  EXPECT_FALSE(stop_reason(limits, std::vector<double>(9, 100.0), seconds(0))) << "too few to believe";
  EXPECT_EQ(stop_reason(limits, std::vector<double>(10, 100.0), seconds(0)), StopReason::precision);
  EXPECT_FALSE(stop_reason(limits, {90, 91, 95, 99, 100, 101, 105, 108, 110, 112}, seconds(0)));
}

TEST(Stopping, when_the_time_is_spent) {
  const MeasuringTime limits{.max_time = seconds(5)};
  EXPECT_EQ(stop_reason(limits, {100}, seconds(5)), StopReason::time);
  EXPECT_FALSE(stop_reason(limits, {}, seconds(9))) << "one sample at the least";
}

TEST(Stopping, blocks_follow_the_length_of_an_operation) {
  const MeasuringTime limits;
  EXPECT_EQ(next_block(limits, 0, 1e6), 1);
  EXPECT_EQ(next_block(limits, 0, 10), 1000);
  EXPECT_EQ(next_block({.iterations = 7}, 5, 10), 2);
}

}  // namespace
}  // namespace ringmark
