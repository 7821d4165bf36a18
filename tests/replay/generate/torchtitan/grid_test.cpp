#include "replay/generate/torchtitan/grid.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay::torchtitan {
namespace {

using Ranks = std::vector<int>;

TEST(TorchtitanGrid, has_tensor_then_context_then_shards_then_copies_then_stages) {
  Settings settings;
  settings.ranks = 32;
  settings.sizes = {.replicas = 2, .shards = 2, .tensor = 2, .pipeline = 2, .context = 2};
  const auto grid = make_grid(settings);
  EXPECT_EQ(grid[Over::tensor].members(5), (Ranks{4, 5}));
  EXPECT_EQ(grid[Over::context].members(5), (Ranks{5, 7}));
  EXPECT_EQ(grid[Over::shards].members(5), (Ranks{1, 3, 5, 7}));
  EXPECT_EQ(grid[Over::batch].members(5), (Ranks{1, 5, 9, 13}));
  EXPECT_EQ(grid[Over::instances].members(5), (Ranks{5, 13}));
  EXPECT_EQ(grid[Over::pipeline].members(5), (Ranks{5, 21}));
  EXPECT_EQ(grid.size(Over::expert), 1);
  EXPECT_EQ(grid.size(Over::expert_shards), 1);
}

TEST(TorchtitanGrid, spreads_experts_over_tensor_ranks_first) {
  Settings settings;
  settings.ranks = 8;
  settings.sizes = {.shards = 4, .tensor = 2, .expert = 4};
  const auto grid = make_grid(settings);
  EXPECT_EQ(grid[Over::expert].members(5), (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(grid[Over::expert_shards].members(5), (Ranks{1, 5}));
}

}  // namespace
}  // namespace ringmark::replay::torchtitan
