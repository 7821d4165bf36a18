#include "replay/import/named_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::ElementsAre;

TEST(NamedGroups, become_communicators_in_the_order_of_use) {
  Imported imported;
  NamedGroups groups(imported);
  groups.declare("a", {-1, 2, {0, 1}});
  groups.declare("b", {-1, 2, {0, 2}});
  EXPECT_EQ(groups.use("b", {}), 0);
  EXPECT_EQ(groups.use("other", {3, 4, {}}), 1);
  EXPECT_EQ(groups.use("b", {1, 5, {7}}), 0);
  ASSERT_EQ(imported.communicators.size(), 2U) << "a was never used";
  EXPECT_THAT(imported.communicators[0].members, ElementsAre(0, 2)) << "what was given first holds";
  EXPECT_EQ(imported.communicators[0].ranks, 2);
  EXPECT_EQ(imported.communicators[0].rank, 1) << "and what was not given is filled in";
  EXPECT_EQ(imported.communicators[1].rank, 3);
  EXPECT_FALSE(groups.is_declared("other"));
}

}  // namespace
}  // namespace ringmark::replay
