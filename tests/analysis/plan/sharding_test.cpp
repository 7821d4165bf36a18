#include "analysis/plan/sharding.hpp"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/search.hpp"
#include "analysis/plan/words.hpp"
#include "results/files/csv.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using Kind = replay::Framework::Kind;

std::string scenario_with(const std::string& lines, double memory_GB = 1000) {
  return fmt::format(
      "tokens: 1e9\nmodels: [llama-8b]\nrecompute: true\n{}\n"
      "clusters:\n  - {{name: A, peak_TFLOPS: 312, memory_GB: {}, gpus_per_node: 8,\n"
      "     intra: {{alpha_us: 5, GBps: 200}}, network: {{alpha_us: 10, GBps: 50}}}}\n",
      lines, memory_GB);
}

std::vector<StateSharding> shardings(const std::vector<PlanRow>& rows) {
  std::vector<StateSharding> all;
  for (const auto& row : rows) all.push_back(row.sharding());
  return all;
}

TEST(Sharding, of_settings_is_what_was_set) {
  for (const auto kind :
       {Kind::deepspeed, Kind::pytorch_ddp, Kind::pytorch_fsdp, Kind::pytorch_fsdp2, Kind::megatron}) {
    std::set<std::string> words;
    std::size_t count = 0;
    for (const int stage : stages_of(kind))
      for (const auto& group : searched_shard_groups(kind)) {
        const StateSharding sharding{stage, group_size(group, kind, stage, 64, 8)};
        replay::StepSettings settings;
        settings.framework.kind = kind;
        set_sharding(settings, sharding);
        EXPECT_EQ(sharding_of(settings), sharding) << settings.framework.text() << ", stage " << stage;
        words.insert(sharding_words(kind, sharding));
        count += group.kind == ShardGroup::Kind::all || sharding.group > 0 ? 1 : 0;
      }
    EXPECT_EQ(words.size(), count) << "each has words of its own";
  }
}

TEST(Sharding, of_a_group_needs_more_ranks_than_the_group_and_a_stage_that_has_groups) {
  const ShardGroup node{ShardGroup::Kind::node}, sixteen{ShardGroup::Kind::number, 16};
  EXPECT_EQ(group_size(node, Kind::pytorch_fsdp, 3, 64, 8), 8);
  EXPECT_EQ(group_size(node, Kind::pytorch_fsdp, 3, 8, 8), 0) << "one node";
  EXPECT_EQ(group_size(node, Kind::pytorch_fsdp2, 3, 64, 1), 0) << "one GPU shares nothing";
  EXPECT_EQ(group_size(sixteen, Kind::pytorch_fsdp2, 2, 64, 8), 16);
  EXPECT_EQ(group_size({}, Kind::pytorch_fsdp2, 2, 64, 8), 0);
  EXPECT_EQ(group_size(sixteen, Kind::deepspeed, 3, 64, 8), 16);
  EXPECT_EQ(group_size(sixteen, Kind::deepspeed, 2, 64, 8), 0) << "hpZ belongs to stage 3";
  EXPECT_EQ(group_size(sixteen, Kind::megatron, 1, 64, 8), 0);
}

TEST(Sharding, is_searched_over_all_GPUs_and_within_nodes) {
  const auto rows = make_plan(scenario_of(scenario_with("framework: pytorch-fsdp\nnodes: [1, 4]")));
  EXPECT_THAT(shardings(rows),
              testing::UnorderedElementsAre(StateSharding{2, 0}, StateSharding{2, 0}, StateSharding{2, 8},
                                            StateSharding{3, 0}, StateSharding{3, 0}, StateSharding{3, 8}))
      << "on one node both are the same";
  const auto scenario = scenario_of(scenario_with("nodes: [4]"));
  const auto deepspeed = make_plan(scenario);
  EXPECT_THAT(shardings(deepspeed), testing::ElementsAre(StateSharding{0, 0}, StateSharding{1, 0}, StateSharding{2, 0},
                                                         StateSharding{3, 0}, StateSharding{3, 8}));
  const auto csv = parse_csv(plan_csv(scenario, deepspeed));
  EXPECT_THAT(csv[0], AllOf(testing::Contains("sharding"), testing::Contains("shard_group")));
  EXPECT_THAT(csv[5], testing::Contains(sharding_words(Kind::deepspeed, {3, 8})));
}

TEST(Sharding, within_a_node_takes_its_memory_and_keeps_gathers_in_the_node) {
  const auto rows = make_plan(scenario_of(scenario_with("framework: pytorch-fsdp2\nnodes: [16]\nstages: [3]")));
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_TRUE(rows[0].is_simulated && rows[1].is_simulated);
  const auto& all = rows[0];
  const auto& node = rows[1];
  ASSERT_EQ(node.shard_group, 8);
  constexpr double bytes_of_states = 16, parameters = 8.03e9;
  EXPECT_NEAR(node.memory_GB - all.memory_GB, bytes_of_states * parameters * (1.0 / 8 - 1.0 / 128) / 1e9, 0.1);
  EXPECT_LT(node.exposed_s, all.exposed_s) << "128 GPUs on a slow network";
  EXPECT_NEAR(node.compute_s, all.compute_s, 1e-6);
}

TEST(Sharding, over_all_GPUs_is_the_change_where_a_node_has_too_little_memory) {
  for (const std::string framework : {"pytorch-fsdp", "pytorch-fsdp2"}) {
    const auto scenario = scenario_of(
        scenario_with(fmt::format("framework: {}\nnodes: [16]\nstages: [2]\nshard_degree: node", framework), 22));
    const auto rows = make_plan(scenario);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_FALSE(rows[0].fits);
    const auto change = change_that_fits(scenario, rows[0]);
    EXPECT_THAT(change, AllOf(HasSubstr("shard_degree all"), Not(HasSubstr("nodes")), Not(HasSubstr("stage 0"))))
        << framework;
  }
}

TEST(Sharding, of_a_number_must_divide_the_GPUs) {
  const auto scenario = scenario_of(scenario_with("framework: pytorch-fsdp2\nnodes: [3]\nshard_degree: [16]"));
  const auto rows = make_plan(scenario);
  EXPECT_THAT(shardings(rows), Each(testing::Field(&StateSharding::group, 16)));
  for (const auto& row : rows) {
    EXPECT_FALSE(row.fits) << "24 GPUs";
    EXPECT_THAT(misfit_words(scenario, row), HasSubstr("shard_degree"));
  }
}

TEST(Sharding, is_given_by_the_framework_s_own_key) {
  const auto refusal = [](const std::string& lines) { return scenario_refusal(scenario_with(lines)); };
  EXPECT_EQ(refusal("framework: pytorch-fsdp\nshard_degree: [all, node, 16]"), "read");
  EXPECT_EQ(refusal("zero_hpz_partition_size: [1, node]"), "read");
  EXPECT_THAT(refusal("shard_degree: node"), AllOf(HasSubstr("shard_degree"), HasSubstr("zero_hpz_partition_size")));
  EXPECT_THAT(refusal("framework: pytorch-fsdp\nzero_hpz_partition_size: 8"), HasSubstr("give shard_degree"));
  EXPECT_THAT(refusal("framework: megatron\nshard_degree: node"), HasSubstr("remove"));
  EXPECT_THAT(refusal("framework: pytorch-fsdp\nshard_degree: 1"), HasSubstr("shard_degree"));
  EXPECT_THAT(refusal("framework: pytorch-fsdp\nshard_degree: nodes"), HasSubstr("all, node"));
  EXPECT_THAT(refusal("framework: pytorch-fsdp\nshard_degree: [node, node]"), HasSubstr("twice"));
}

}  // namespace
}  // namespace ringmark::analysis
