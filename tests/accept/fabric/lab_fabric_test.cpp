#include "accept/fabric/lab_fabric.hpp"

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

constexpr auto lab =
    R"({"hosts":["a","b","c","d"],"leaves":{"leaf1":["a","b"],"leaf2":["c","d"]},"spines":3,"rails":2})";

TEST(LabFabric, gives_what_criteria_leave_out) {
  Fabric fabric;
  EXPECT_TRUE(fill_from_lab(lab, fabric, {}));
  EXPECT_EQ(fabric.hosts.size(), 4U);
  ASSERT_EQ(fabric.leaves.size(), 2U);
  EXPECT_EQ(fabric.leaves[1].name, "leaf2");
  EXPECT_EQ(fabric.leaves[1].hosts, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(fabric.spines, 3U);
  EXPECT_EQ(fabric.rails, 2U);
}

TEST(LabFabric, changes_nothing_that_is_given) {
  Fabric fabric{{"d", "a"}, {{"own", {0, 1}}}, 1, 1};
  EXPECT_TRUE(fill_from_lab(lab, fabric, {.spines = true, .rails = true, .leaves = true}));
  ASSERT_EQ(fabric.leaves.size(), 1U);
  EXPECT_EQ(fabric.spines, 1U);
  EXPECT_EQ(fabric.rails, 1U);
}

TEST(LabFabric, is_none_for_hosts_of_elsewhere_or_without_a_lab) {
  Fabric fabric{{"a", "node1"}, {}};
  EXPECT_FALSE(fill_from_lab(lab, fabric, {}));
  EXPECT_TRUE(fabric.leaves.empty());
  for (const auto* text :
       {"", "nothing", "[]", R"({"hosts":3})", R"({"hosts":["a","b"],"leaves":{"x":[1]},"spines":0,"rails":1})",
        R"({"hosts":["a","b"],"leaves":["x"],"spines":0,"rails":1})"}) {
    Fabric none;
    EXPECT_FALSE(fill_from_lab(text, none, {})) << text;
    EXPECT_TRUE(none.hosts.empty());
  }
}

}  // namespace
}  // namespace ringmark::accept
