#include "replay/predict/plausible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

TEST(Plausible, bandwidths_of_usual_nodes_raise_no_doubt) {
  EXPECT_TRUE(doubts_of({.between = {6, 370}, .within = Link{5, 360}, .ranks_per_node = 8}, "h100").empty());
  EXPECT_TRUE(doubts_of({.between = {10, 183}, .within = Link{5, 230}, .ranks_per_node = 8}, "a100").empty());
  EXPECT_TRUE(doubts_of({.between = {10, 12}, .within = Link{5, 120}, .ranks_per_node = 8}, "v100").empty());
  EXPECT_TRUE(doubts_of({.between = {10, 12}, .within = Link{5, 24}, .ranks_per_node = 4}, "a10").empty());
  EXPECT_TRUE(doubts_of({.between = {6, 370}, .within = Link{5, 700}, .ranks_per_node = 8}, "b300").empty());
  EXPECT_TRUE(doubts_of({.between = {6, 370}, .within = Link{5, 500}, .ranks_per_node = 8}, "mi355x").empty());
  EXPECT_TRUE(doubts_of({.between = {50, 0.12}, .within = {}}, "h100").empty()) << "a slow network is one";
  EXPECT_TRUE(doubts_of({.between = {10, 100}, .within = Link{5, 1}, .ranks_per_node = 8}, "my.yaml").empty());
}

TEST(Plausible, bits_for_bytes_and_another_devices_links_are_named_with_the_usual_value) {
  const auto bits = doubts_of({.between = {6, 3200}, .within = Link{5, 360}, .ranks_per_node = 8}, "h100");
  ASSERT_EQ(bits.size(), 1U);
  EXPECT_THAT(bits[0], HasSubstr("400 GB/s"));
  EXPECT_EQ(doubts_of({.between = {6, 900}, .within = Link{5, 700}, .ranks_per_node = 8}, "b300").size(), 1U);
  EXPECT_TRUE(doubts_of({.between = {6, 800}, .within = Link{5, 700}, .ranks_per_node = 8}, "b300").empty());
  const auto slow = doubts_of({.between = {6, 50}, .within = Link{5, 50}, .ranks_per_node = 8}, "h100");
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_THAT(slow[0], HasSubstr("450"));
  const auto fast = doubts_of({.between = {6, 434}, .within = Link{5, 360}, .ranks_per_node = 8}, "h100");
  ASSERT_EQ(fast.size(), 1U);
  EXPECT_THAT(fast[0], HasSubstr("400 GB/s per node"));
  EXPECT_TRUE(doubts_of({.between = {6, 434}, .within = Link{5, 700}, .ranks_per_node = 8}, "b300").empty());
  EXPECT_EQ(doubts_of({.between = {6, 50}, .within = Link{5, 500}, .ranks_per_node = 8}, "a100").size(), 1U);
}

TEST(Plausible, a_fit_that_misses_its_own_times_is_doubted) {
  Links links{.between = {6, 370}, .within = Link{5, 360}, .ranks_per_node = 8};
  links.miss_percent = 23.4;
  EXPECT_THAT(doubts_of(links, "h100"), testing::ElementsAre(HasSubstr("median error of 23 %")));
  links.miss_percent = 4;
  EXPECT_TRUE(doubts_of(links, "h100").empty());
}

}  // namespace
}  // namespace ringmark::replay
