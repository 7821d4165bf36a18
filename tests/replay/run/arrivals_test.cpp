#include "replay/run/arrivals.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

TEST(Arrivals, of_three_ranks_at_two_collectives) {
  const std::vector<double> entries{0,  100,   // rank 0
                                    10, 100,   // rank 1
                                    50, 130};  // rank 2
  const auto arrivals = compare_arrivals(entries, 3, 0);
  EXPECT_DOUBLE_EQ(arrivals.skew_us, (50 + 30) / 2.0);
  EXPECT_EQ(arrivals.late_us, (std::vector<double>{0, 0, 40 + 30}));
}

TEST(Arrivals, what_the_clocks_cannot_tell_is_no_lateness) {
  const std::vector<double> entries{0, 100, 10, 100, 50, 130};
  EXPECT_EQ(compare_arrivals(entries, 3, 35).late_us, (std::vector<double>{0, 0, 40}));
}

TEST(Arrivals, nobody_is_late_to_nothing_or_alone) {
  EXPECT_EQ(compare_arrivals({}, 2, 0).late_us, (std::vector<double>{0, 0}));
  EXPECT_EQ(compare_arrivals({}, 2, 0).skew_us, 0);
  const std::vector<double> alone{5, 6};
  EXPECT_EQ(compare_arrivals(alone, 1, 0).late_us, (std::vector<double>{0}));
}

}  // namespace
}  // namespace ringmark::replay
