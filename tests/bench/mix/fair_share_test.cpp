#include "bench/mix/fair_share.hpp"

#include <gtest/gtest.h>

namespace ringmark::mix {
namespace {

TEST(FairShare, halves_a_link_between_two_groups) {
  const auto shares = fair_shares({{{10}, {20}}, {100}, {10, 5}});
  EXPECT_DOUBLE_EQ(shares[0].operations_per_s, 5);    // 50 of 100 bytes per second
  EXPECT_DOUBLE_EQ(shares[1].operations_per_s, 2.5);  // as many bytes
  EXPECT_EQ(shares[0].link, 0U);
}

TEST(FairShare, gives_what_one_does_not_want_to_the_others) {
  const auto shares = fair_shares({{{10}, {10}, {10}}, {100}, {2, 10, 10}});
  EXPECT_DOUBLE_EQ(shares[0].operations_per_s, 2);
  EXPECT_FALSE(shares[0].link);
  EXPECT_DOUBLE_EQ(shares[1].operations_per_s, 4);
  EXPECT_DOUBLE_EQ(shares[2].operations_per_s, 4);
}

TEST(FairShare, knows_several_links) {
  // The second group shares the slow link with the third one, which leaves room on the first link.
  const auto shares = fair_shares({{{1, 0}, {1, 1}, {0, 1}}, {100, 20}, {1000, 1000, 1000}});
  EXPECT_DOUBLE_EQ(shares[1].operations_per_s, 10);
  EXPECT_DOUBLE_EQ(shares[2].operations_per_s, 10);
  EXPECT_DOUBLE_EQ(shares[0].operations_per_s, 90);
  EXPECT_EQ(shares[0].link, 0U);
  EXPECT_EQ(shares[1].link, 1U);
}

TEST(FairShare, leaves_alone_what_crosses_no_link) {
  const auto shares = fair_shares({{{0}, {10}}, {100}, {7, 3}});
  EXPECT_DOUBLE_EQ(shares[0].operations_per_s, 7);
  EXPECT_DOUBLE_EQ(shares[1].operations_per_s, 3);
  EXPECT_FALSE(shares[1].link);
}

}  // namespace
}  // namespace ringmark::mix
