#include "bench/link/time_left.hpp"

#include <gmock/gmock.h>

namespace ringmark {
namespace {

constexpr LinkMeasurement latency{LinkTest::latency, 8}, bandwidth{LinkTest::bandwidth, 1 << 20};

TEST(TimeLeft, adds_up_what_each_kind_took) {
  TimeLeft left;
  left.expect(latency, 10);
  left.expect(bandwidth, 12);
  EXPECT_EQ(left.seconds(), 0) << "nothing is known yet";
  left.took(latency, 1);
  EXPECT_DOUBLE_EQ(left.seconds(), 9 * 1 + 12 * 1) << "of the other kind only the mean of all is known";
  left.took(bandwidth, 4);
  left.took(bandwidth, 6);
  EXPECT_DOUBLE_EQ(left.seconds(), 9 * 1 + 10 * 5);
  left.expect_no_more();
  EXPECT_EQ(left.seconds(), 0);
}

TEST(TimeLeft, is_announced_at_first_at_each_half_and_when_it_changes) {
  TimeLeft left;
  left.expect(bandwidth, 64);
  EXPECT_EQ(left.announcement(), "");
  const auto announcements_of = [&](int count, double seconds) {
    int announced = 0;
    for (int i = 0; i < count; ++i) {
      left.took(bandwidth, seconds);
      if (!left.announcement().empty()) ++announced;
    }
    return announced;
  };
  EXPECT_EQ(announcements_of(1, 1), 1);
  EXPECT_EQ(announcements_of(30, 1), 0);
  EXPECT_EQ(announcements_of(2, 1), 1) << "half of it has passed";
  EXPECT_EQ(announcements_of(1, 100), 1) << "far longer than announced";
}

TEST(TimeLeft, of_a_moment_is_not_announced) {
  TimeLeft left;
  left.expect(bandwidth, 10);
  left.took(bandwidth, 0.1);
  EXPECT_EQ(left.announcement(), "");
}

}  // namespace
}  // namespace ringmark
