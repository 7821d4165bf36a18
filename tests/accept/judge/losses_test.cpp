#include "accept/judge/losses.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

/// Four pairs that carry 10 GB/s in each round, but the last.
std::vector<Round> rounds_with(double last_GBps) {
  const Round round{{0, 1, 10}, {1, 0, 10}, {0, 2, 10}, {2, 0, last_GBps}};
  return {round, round, round};
}

TEST(Losses, are_logarithms_against_the_pairs_that_lost_nothing) {
  const Losses losses(rounds_with(8), 0.1, std::nullopt);
  EXPECT_DOUBLE_EQ(losses.expected_GBps(), 10);
  EXPECT_DOUBLE_EQ(losses.of_pair(0), 0);
  EXPECT_DOUBLE_EQ(losses.of_pair(3), std::log(10.0 / 8));
  EXPECT_EQ(losses.of_pairs({0, 1, 3}), (std::vector<double>{0, 0, 0}));
  EXPECT_DOUBLE_EQ(losses.scatter(), 0);
}

TEST(Losses, are_against_the_expectation_where_one_is_given) {
  const Losses losses(rounds_with(10), 0.1, 20);
  EXPECT_DOUBLE_EQ(losses.expected_GBps(), 20);
  EXPECT_DOUBLE_EQ(losses.of_pair(0), std::log(2.0));
}

TEST(Losses, are_against_the_pairs_on_which_something_passes) {
  const Round round{{0, 1, 10}, {1, 0, 0}, {0, 2, 0}, {2, 0, 0}};
  const Losses losses({round, round, round}, 0.1, std::nullopt);
  EXPECT_DOUBLE_EQ(losses.expected_GBps(), 10);
  EXPECT_DOUBLE_EQ(losses.of_pair(0), 0);
  EXPECT_GT(losses.of_pair(3), std::log(100.0));
}

TEST(Losses, have_no_expectation_where_nothing_passes) {
  const Round nothing{{0, 1, 0}, {1, 0, 0}};
  const Losses losses({{{0, 1, 10}, {1, 0, 10}}, nothing, nothing}, 0.1, std::nullopt);
  EXPECT_EQ(losses.expected_GBps(), 0);
  EXPECT_TRUE(std::isfinite(losses.of_pair(0)));
  EXPECT_TRUE(std::isfinite(losses.scatter()));
  EXPECT_DOUBLE_EQ(Losses({nothing, nothing, nothing}, 0.1, 20).expected_GBps(), 20);
}

}  // namespace
}  // namespace ringmark::accept
