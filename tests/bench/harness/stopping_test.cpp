#include "bench/harness/stopping.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

using std::chrono::seconds;

TEST(Stopping, at_a_fixed_number_nothing_else_counts) {
  const StoppingRule rule{.iterations = 3, .max_time = seconds(1)};
  EXPECT_FALSE(rule.reason({5, 5}, seconds(100)));
  EXPECT_EQ(rule.reason({5, 5, 5}, seconds(0)), StopReason::iterations);
}

TEST(Stopping, once_the_median_is_known_well_enough) {
  const StoppingRule rule{.precision_percent = 2};
  EXPECT_FALSE(rule.reason(std::vector<double>(9, 100.0), seconds(0))) << "too few to believe";
  EXPECT_EQ(rule.reason(std::vector<double>(10, 100.0), seconds(0)), StopReason::precision);
  EXPECT_FALSE(rule.reason({90, 91, 95, 99, 100, 101, 105, 108, 110, 112}, seconds(0)));
}

TEST(Stopping, when_the_time_is_spent) {
  const StoppingRule rule{.max_time = seconds(5)};
  EXPECT_EQ(rule.reason({100}, seconds(5)), StopReason::time);
  EXPECT_FALSE(rule.reason({}, seconds(9))) << "one sample at the least";
}

TEST(Stopping, blocks_follow_the_length_of_an_operation) {
  const StoppingRule rule;
  EXPECT_EQ(next_block(rule, 0, 1e6), 1);
  EXPECT_EQ(next_block(rule, 0, 10), 1000);
  EXPECT_EQ(next_block({.iterations = 7}, 5, 10), 2);
}

}  // namespace
}  // namespace ringmark
