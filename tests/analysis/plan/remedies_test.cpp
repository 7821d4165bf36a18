#include "analysis/plan/remedies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

constexpr auto late = R"(
tokens: 20e9
global_batch_sequences: 64
models: [llama-8b]
nodes: [8]
clusters:
  - {name: A, device: h100, price_per_GPU_hour: 2, intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 180}}
)";

double days_of(const Scenario& scenario) {
  return answers_of(scenario, make_plan(scenario)).front().chosen.value().row->days;
}

TEST(Remedies, change_the_nodes_where_these_do_not_divide_the_batch) {
  auto scenario = scenario_of(with(late, "nodes: [8]", "nodes: [3, 7]"));
  ASSERT_FALSE(answers_of(scenario, make_plan(scenario)).front().chosen);
  const auto remedy = remedy_for(scenario, 0);
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->change, "nodes: [4, 8]");
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr(remedy_words(scenario, 0)));
  scenario.nodes = {4, 8};
  EXPECT_DOUBLE_EQ(days_of(scenario), remedy->row.days);
}

TEST(Remedies, name_frameworks_that_shard_all_states_where_nothing_fits) {
  const auto scenario = scenario_of(
      "tokens: 1e9\nmodels: [llama2-70b]\nframework: pytorch-ddp\nmicro_batch: [1]\nnodes: [1]\nclusters:\n"
      "  - {name: A, device: h100, gpus_per_node: 8, intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 6, GBps: "
      "370}}\n");
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr("try framework: pytorch-fsdp, or deepspeed"));
}

TEST(Remedies, are_larger_batches_and_more_nodes_for_a_deadline) {
  auto scenario = scenario_of(late);
  const double days = days_of(scenario);
  scenario.certainty = 0.5;
  scenario.deadline_days = days * 0.95;
  const auto remedy = remedy_for(scenario, 0);
  ASSERT_TRUE(remedy);
  EXPECT_LE(remedy->row.days, *scenario.deadline_days);
  EXPECT_THAT(remedy_words(scenario, 0), HasSubstr(remedy->change));
  auto milder = scenario;
  EXPECT_THAT(remedy->change, testing::StartsWith("global_batch_sequences: ")) << "the network weighs less";
  milder.global_batch = static_cast<int>(remedy->row.ranks) * remedy->row.micro_batch * remedy->row.accumulation;
  EXPECT_THAT(remedy->change, testing::EndsWith(std::to_string(*milder.global_batch)));
  EXPECT_DOUBLE_EQ(days_of(milder), remedy->row.days);
  scenario.deadline_days = days / 3;
  const auto with_nodes = remedy_for(scenario, 0);
  ASSERT_TRUE(with_nodes);
  EXPECT_THAT(with_nodes->change, HasSubstr("nodes: "));
  EXPECT_GT(with_nodes->row.nodes, 8);
  EXPECT_LE(with_nodes->row.days, *scenario.deadline_days);
}

TEST(Remedies, have_the_wanted_certainty_and_say_where_the_budget_does_not_suffice) {
  auto scenario = scenario_of(late);
  const double days = days_of(scenario);
  scenario.deadline_days = days * 0.95;
  const auto remedy = remedy_for(scenario, 0);
  ASSERT_TRUE(remedy);
  EXPECT_GE(remedy->deadline_probability.value(), scenario.certainty);
  EXPECT_FALSE(remedy->is_over_budget);
  scenario.budget = 1;
  const auto dear = remedy_for(scenario, 0);
  ASSERT_TRUE(dear);
  EXPECT_TRUE(dear->is_over_budget);
  EXPECT_THAT(remedy_words(scenario, 0), HasSubstr("over the budget"));
  // Batches that an int cannot hold are not tried.
  scenario.global_batch = most_global_batch;
  EXPECT_THAT(remedy_words(scenario, 0), testing::Not(HasSubstr("global_batch_sequences")));
}

TEST(Remedies, divide_a_larger_batch_with_other_nodes) {
  auto scenario = scenario_of(with(late, "nodes: [8]", "nodes: [6, 7]"));
  scenario.certainty = 0.5;
  scenario.deadline_days = days_of(scenario_of(late)) * 0.6;
  const auto remedy = remedy_for(scenario, 0);
  ASSERT_TRUE(remedy);
  EXPECT_EQ(64 * 8 % remedy->row.nodes, 0) << remedy->change;
}

TEST(Remedies, are_the_next_device_where_a_cluster_has_one) {
  auto scenario = scenario_of(
      with(late, "price_per_GPU_hour: 2", "price_per_GPU_hour: 2, next: {device: b200, price_per_GPU_hour: 5}"));
  EXPECT_FALSE(next_device_for(scenario_of(late), 0));
  const auto changes = what_ifs(scenario, *answers_of(scenario, make_plan(scenario)).front().chosen->row);
  scenario.deadline_days = changes.back().row.value().days * 1.01;
  ASSERT_LT(*scenario.deadline_days, days_of(scenario));
  const auto next = next_device_for(scenario, 0);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->change, "b200 instead of h100");
  EXPECT_DOUBLE_EQ(next->row.days, changes.back().row.value().days);
  EXPECT_NEAR(next->row.cost, next->row.days * 24 * 64 * 5, 1e-6 * next->row.cost);
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr(next->change));
  scenario.deadline_days = 0.001;
  EXPECT_FALSE(next_device_for(scenario, 0));
}

TEST(Answers, have_an_unknown_certainty_without_a_device) {
  auto scenario = scenario_of(with(late, "device: h100", "peak_TFLOPS: 989"));
  scenario.deadline_days = days_of(scenario) * 3;
  const auto rows = make_plan(scenario);
  const auto answer = answers_of(scenario, rows).front();
  EXPECT_TRUE(answer.meets_deadline);
  EXPECT_FALSE(answer.is_certain);
  EXPECT_THAT(printed(scenario, rows), HasSubstr("certainty unknown"));
}

TEST(Remedies, say_what_was_not_searched_where_nothing_would_do) {
  auto scenario = scenario_of(late);
  scenario.deadline_days = 0.001;
  EXPECT_FALSE(remedy_for(scenario, 0));
  EXPECT_THAT(remedy_words(scenario, 0), HasSubstr("pipeline"));
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr("pipeline"));
}

TEST(Answers, name_the_cheapest_and_why_it_is_not_taken) {
  auto scenario = scenario_of(with(late, "nodes: [8]", "nodes: [2, 4, 8]"));
  const auto rows = make_plan(scenario);
  const auto free = answers_of(scenario, rows).front();
  EXPECT_FALSE(free.cheapest) << "it is the answer";
  scenario.deadline_days = free.chosen->row->days * 1.05;
  const auto answer = answers_of(scenario, rows).front();
  ASSERT_TRUE(answer.cheapest);
  EXPECT_EQ(answer.cheapest->row, free.chosen->row);
  EXPECT_GT(answer.chosen->row->nodes, free.chosen->row->nodes);
  EXPECT_THAT(printed(scenario, rows), HasSubstr("is cheaper"));
  scenario.certainty = 0.5;
  EXPECT_EQ(answers_of(scenario, rows).front().chosen->row, free.chosen->row) << "its median keeps the deadline";
}

TEST(Remedies, keep_the_batch_where_more_nodes_do_as_well) {
  auto scenario = scenario_of(with(late, "global_batch_sequences: 64", "global_batch_sequences: 2048"));
  const auto days_with = [&](int batch) {
    auto changed = scenario;
    changed.nodes = {32};
    changed.global_batch = batch;
    return days_of(changed);
  };
  scenario.certainty = 0.5;
  scenario.budget = 1;
  scenario.deadline_days = (days_with(2048) + days_with(4096)) / 2;
  const auto any = remedy_for(scenario, 0), nodes = remedy_for(scenario, 0, true);
  ASSERT_TRUE(any);
  ASSERT_TRUE(nodes);
  EXPECT_THAT(nodes->change, testing::Not(HasSubstr("batch")));
  EXPECT_THAT(remedy_words(scenario, 0), HasSubstr("set " + nodes->change + ": "));
  EXPECT_THAT(remedy_words(scenario, 0), HasSubstr("which would have to be"));
  scenario.deadline_days = 1e5;
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr("the smallest that suffices"));
}

TEST(Remedies, name_what_fits_where_nothing_does) {
  const auto scenario =
      scenario_of(with(with(late, "models: [llama-8b]", "models: [llama2-70b]\nframework: pytorch-ddp"), "tokens: 20e9",
                       "tokens: 20e9\ndeadline_days: 1e4"));
  const auto rows = make_plan(scenario);
  ASSERT_FALSE(answers_of(scenario, rows).front().chosen);
  EXPECT_THAT(printed(scenario, rows), HasSubstr("it fits with pytorch-fsdp2"));
}

TEST(Answers, name_the_cheaper_one_that_is_only_uncertain) {
  auto scenario = scenario_of(with(late, "nodes: [8]", "nodes: [2, 4, 8]"));
  const auto rows = make_plan(scenario);
  double days_of_4 = 0;
  for (const auto& row : rows) days_of_4 = row.is_best && row.nodes == 4 ? row.days : days_of_4;
  scenario.deadline_days = days_of_4 * 1.02;
  const auto answer = answers_of(scenario, rows).front();
  ASSERT_EQ(answer.chosen->row->nodes, 8);
  ASSERT_TRUE(answer.cheapest_as_planned);
  EXPECT_EQ(answer.cheapest_as_planned->row->nodes, 4);
  EXPECT_THAT(printed(scenario, rows), HasSubstr("chance of meeting the deadline"));
}

}  // namespace
}  // namespace ringmark::analysis
