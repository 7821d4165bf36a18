#include "bench/mix/group_result.hpp"

#include <gtest/gtest.h>

namespace ringmark::mix {
namespace {

std::vector<GroupResult> results_with(const std::vector<double>& alone_us) {
  std::vector<GroupResult> results(alone_us.size());
  for (std::size_t group = 0; group < alone_us.size(); ++group) results[group].alone_us = alone_us[group];
  return results;
}

TEST(GroupResult, has_the_medians_of_all_rounds_together) {
  const MixGroup group;
  const auto result = medians_of(group, {{{1, 2, 9}, {10}}, {{}, {}}, {{3, 4}, {30, 50}}});
  EXPECT_EQ(result.group, &group);
  EXPECT_EQ(result.alone_us, 3);
  EXPECT_EQ(result.together_us, 30);
}

TEST(GroupResult, is_0_where_nothing_was_measured) {
  const auto result = medians_of({}, {{{1}, {}}});
  EXPECT_EQ(result.alone_us, 1);
  EXPECT_EQ(result.together_us, 0);
}

TEST(GroupResult, has_the_groups_share_of_the_link_that_is_full) {
  // Both groups send down the second link, each 1000 bytes in an operation, and fill it alone.
  auto results = results_with({10, 10});
  add_fair_shares({{"a", {"host a"}, 1e9}, {"b", {"host b"}, 1e8}}, {{500, 0, 0, 1000}, {0, 200, 0, 1000}}, results);
  for (const auto& result : results) {
    EXPECT_EQ(result.busiest_bytes, 1000);
    ASSERT_TRUE(result.fair_us);
    EXPECT_NEAR(*result.fair_us, 20, 1e-9);
    EXPECT_EQ(result.link, "b down");
  }
}

TEST(GroupResult, is_as_fast_as_alone_where_no_link_is_full) {
  auto results = results_with({10});
  add_fair_shares({{"a", {"host a"}, 1e9}}, {{500, 0}}, results);
  EXPECT_NEAR(results[0].fair_us.value_or(0), 10, 1e-9);
  EXPECT_EQ(results[0].link, std::nullopt);
}

TEST(GroupResult, has_no_share_if_a_group_measured_nothing) {
  auto results = results_with({10, 0});
  add_fair_shares({{"a", {"host a"}, 1e9}}, {{500, 0}, {500, 0}}, results);
  for (const auto& result : results) EXPECT_EQ(result.fair_us, std::nullopt);
}

}  // namespace
}  // namespace ringmark::mix
