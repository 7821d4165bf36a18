#include "replay/generate/megatron/grid.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay::megatron {
namespace {

using Ranks = std::vector<int>;

Settings settings_of(int ranks, int tensor, int pipeline) {
  Settings settings;
  settings.ranks = ranks;
  settings.sizes.tensor = tensor;
  settings.sizes.pipeline = pipeline;
  return settings;
}

TEST(Grid, tensor_ranks_are_neighbours_and_stages_are_far_apart) {
  const auto grid = make_grid(settings_of(16, 2, 4));
  EXPECT_EQ(grid[Over::tensor].members(5), (Ranks{4, 5}));
  EXPECT_EQ(grid[Over::data].members(5), (Ranks{5, 7}));
  EXPECT_EQ(grid[Over::pipeline].members(5), (Ranks{1, 5, 9, 13}));
  EXPECT_EQ(grid[Over::model].members(0), (Ranks{0, 1, 4, 5, 8, 9, 12, 13}));
  EXPECT_EQ(grid[Over::embedding].members(12), (Ranks{0, 12}));
  EXPECT_EQ(grid.size(Over::world), 16);
  EXPECT_EQ(grid.stage_stride(), 4);
}

TEST(Grid, data_may_come_last) {
  auto settings = settings_of(8, 2, 2);
  settings.has_data_last = true;
  const auto grid = make_grid(settings);
  EXPECT_EQ(grid[Over::pipeline].members(0), (Ranks{0, 2}));
  EXPECT_EQ(grid[Over::data].members(0), (Ranks{0, 4}));
  EXPECT_EQ(grid.stage_stride(), 2);
}

TEST(Grid, experts_lie_over_tensor_and_data_ranks) {
  auto settings = settings_of(8, 2, 1);
  settings.sizes.expert = 2;
  settings.sizes.expert_tensor = 1;
  const auto grid = make_grid(settings);
  EXPECT_EQ(grid[Over::expert].members(3), (Ranks{2, 3}));
  EXPECT_EQ(grid[Over::expert_data].members(3), (Ranks{1, 3, 5, 7}));
  EXPECT_EQ(grid.size(Over::expert_tensor), 1);
}

TEST(Grid, copies_of_the_optimizer_hold_the_same_shard) {
  auto settings = settings_of(8, 2, 1);
  settings.optimizer_instances = 2;
  const auto grid = make_grid(settings);
  EXPECT_EQ(grid[Over::shards].members(0), (Ranks{0, 2}));
  EXPECT_EQ(grid[Over::instances].members(0), (Ranks{0, 4}));
  EXPECT_EQ(grid[Over::whole_instance].members(5), (Ranks{4, 5, 6, 7}));
}

}  // namespace
}  // namespace ringmark::replay::megatron
