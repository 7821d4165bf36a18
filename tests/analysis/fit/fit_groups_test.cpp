#include "analysis/fit/fit_groups.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

TEST(FitGroups, of_one_model_differ_in_ranks_size_and_network_alone) {
  Table table;
  table.add(measured("a", 100, 1 << 20, 4), "r", 1);
  auto larger = measured("b", 300, 1 << 22, 8);
  larger.network.reset();
  table.add(larger, "r", 2);
  auto tree = measured("c", 100);
  tree.algorithm_used = "Tree";
  table.add(tree, "r", 3);
  const FitGroups groups(table, all_rows(table));
  ASSERT_EQ(groups.all().size(), 3U);
  const auto &first = *groups.all()[0], &second = *groups.all()[1], &third = *groups.all()[2];
  EXPECT_EQ(groups.model_of(first), groups.model_of(second));
  EXPECT_NE(groups.model_of(first), groups.model_of(third));
  EXPECT_EQ(groups.network_of(first), "tcp");
  EXPECT_EQ(groups.network_of(second), "");
  EXPECT_EQ(groups.ranks(second), 8);
  EXPECT_EQ(groups.size_bytes(second), 1U << 22U);
  EXPECT_EQ(groups.describe(third).algorithm, "tree") << "as the schedule has it";
  EXPECT_EQ(groups.describe(first).settings, "");
}

TEST(FitGroups, ranks_of_a_node_tell_models_apart) {
  Table table;
  table.add(measured("a", 100), "r", 1);
  auto dense = measured("b", 100);
  dense.nodes = 2;
  table.add(dense, "r", 2);
  const FitGroups groups(table, all_rows(table));
  ASSERT_EQ(groups.all().size(), 2U);
  EXPECT_NE(groups.model_of(*groups.all()[0]), groups.model_of(*groups.all()[1]));
  EXPECT_EQ(groups.describe(*groups.all()[0]).ranks_per_node, 1);
  EXPECT_EQ(groups.describe(*groups.all()[1]).ranks_per_node, 2);
}

}  // namespace
}  // namespace ringmark::analysis
