#include "bench/mix/pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::mix {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

/// Two groups of an all_reduce of 4000 and 40 bytes.
std::vector<MixGroup> two_groups() {
  std::vector<MixGroup> groups(2);
  groups[0].ranks = {0, 1};
  groups[0].size_bytes = 4000;
  groups[1].ranks = {2, 3};
  groups[1].size_bytes = 40;
  return groups;
}

TEST(Pace, begins_with_a_link_of_a_byte_in_a_microsecond) {
  const Pace pace(two_groups(), milliseconds(40), 4);
  EXPECT_EQ(pace.times_alone(0), 10);
  EXPECT_EQ(pace.times_alone(1), 1000);
  EXPECT_EQ(pace.longest({0}, {10, 0}), 2 * milliseconds(40));
}

TEST(Pace, fills_the_window_with_operations_as_long_as_the_last) {
  Pace pace(two_groups(), milliseconds(100), 4);
  pace.took_alone(0, 500);
  pace.took_alone(1, 20);
  EXPECT_EQ(pace.times_alone(0), 200);
  EXPECT_EQ(pace.times_alone(1), 5000);
  for (const std::size_t group : {0U, 1U}) pace.guess_together(group);
  EXPECT_THAT(pace.times_together(), ElementsAre(100, 2500));
  pace.took_together(1, 200);
  EXPECT_THAT(pace.times_together(), ElementsAre(100, 500));
}

TEST(Pace, takes_at_least_three_operations_and_no_more_than_all_ranks_can_keep) {
  Pace pace(two_groups(), milliseconds(100), 4);
  pace.took_alone(0, 1e6);
  pace.took_alone(1, 0);
  EXPECT_EQ(pace.times_alone(0), 3);
  EXPECT_EQ(pace.times_alone(1), pace.most_times());
  EXPECT_EQ(pace.most_times(), 20'000);
  EXPECT_EQ(Pace(two_groups(), milliseconds(100), 1000).most_times(), 2000);
  EXPECT_EQ(Pace(two_groups(), milliseconds(100), 100'000).most_times(), 100);
}

TEST(Pace, lets_a_window_take_twice_its_time_for_each_of_its_groups) {
  Pace pace(two_groups(), milliseconds(100), 4);
  pace.took_alone(0, 1000);
  pace.took_together(0, 3000);
  pace.took_together(1, 1000);
  EXPECT_EQ(pace.longest({0}, {5, 0}), milliseconds(10));
  EXPECT_EQ(pace.longest({0, 1}, {2, 7}), milliseconds(28)) << "the second group needs longest";
}

}  // namespace
}  // namespace ringmark::mix
