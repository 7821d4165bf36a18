#include "bench/flags/groups.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

using Lists = std::vector<std::vector<int>>;

std::vector<GroupKind> kinds(std::string_view text, int ranks) {
  return group_kinds(parse_groups(text).value(), ranks);
}

TEST(Groups, of_a_mesh_have_the_innermost_dimension_first) {
  const auto mesh = kinds("tp:2,pp:2,dp", 12);
  ASSERT_EQ(mesh.size(), 3U);
  EXPECT_EQ(mesh[0].name, "tp");
  EXPECT_EQ(mesh[0].groups, (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}));
  EXPECT_EQ(mesh[1].groups, (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}}));
  EXPECT_EQ(mesh[2].groups, (Lists{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}));
  EXPECT_EQ(mesh[2].group_of(6), 2U);
  EXPECT_EQ(mesh[2].name_of(2), "dp2");
}

TEST(Groups, take_what_others_leave_wherever_they_stand) {
  EXPECT_EQ(kinds("dp,tp:2", 6)[0].groups, (Lists{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(kinds("all", 3)[0].groups, (Lists{{0, 1, 2}}));
}

TEST(Groups, of_colors_are_those_of_nccl_tests) {
  for (const auto* text : {"mask:0x1", "AND 0x1", "&1", "mod:2", "MOD 2", "%2", "and:0b1"})
    EXPECT_EQ(kinds(text, 4)[0].groups, (Lists{{0, 2}, {1, 3}})) << text;
  for (const auto* text : {"or:1", "OR 0x1", "|1", "div:2", "DIV 2"})
    EXPECT_EQ(kinds(text, 4)[0].groups, (Lists{{0, 1}, {2, 3}})) << text;
}

TEST(Groups, of_lists_may_leave_ranks_out) {
  const auto kind = kinds("0-2;5,4", 8)[0];
  EXPECT_EQ(kind.groups, (Lists{{0, 1, 2}, {4, 5}}));
  EXPECT_EQ(kind.group_of(5), 1U);
  EXPECT_FALSE(kind.group_of(3));
}

TEST(Groups, have_ranges_as_names_of_their_ranks) {
  for (const auto* text : {"0", "0-2", "0,2", "0-2,4-5,7"}) {
    const auto ranks = kinds(text, 8)[0].groups[0];
    EXPECT_EQ(ranges_of(ranks), text);
    EXPECT_EQ(kinds(ranges_of(ranks), 8)[0].groups[0], ranks);
  }
}

TEST(Groups, that_cannot_be_are_refused) {
  for (const auto* wrong : {"", "tp:0", "tp:x", "tp,dp", "tp:2,tp:3", "mod:0", "0-", "3-1", "0;;1", "tp:2:3", "-1"})
    EXPECT_FALSE(parse_groups(wrong)) << wrong;
  for (const auto* wrong : {"tp:3,dp", "tp:2,dp:2", "0-3;3-5", "0;9"})
    EXPECT_TRUE(why_no_groups(parse_groups(wrong).value(), 8)) << wrong;
  for (const auto* right : {"tp:4,dp", "tp:2,dp:4", "mask:7", "0;7", "div:3"})
    EXPECT_FALSE(why_no_groups(parse_groups(right).value(), 8)) << right;
}

}  // namespace
}  // namespace ringmark
