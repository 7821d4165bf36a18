#include "analysis/recommend/training_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table/column_roles.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TrainingSteps, have_medians_of_their_micro_steps_where_all_launches_tell_as_many) {
  Table table;
  const auto add = [&](int stage, const std::string& run, const std::vector<double>& micro_steps) {
    auto row = measured(run, 100);
    row.schema = Schema::replay;
    row.collective = ringmark::TrainingStep{};
    row.step = StepResult{.zero_stage = stage, .micro_computation_us = micro_steps};
    table.add(row, "f", table.rows() + 2);
  };
  add(1, "a", {10, 20});
  add(1, "b", {12, 20.5});
  add(1, "c", {30, 1});
  add(2, "a", {10, 20});
  add(2, "b", {10});
  add_configurations(table);
  const auto steps = training_steps(table, all_rows(table));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps[0].micro_computation_us, ElementsAre(12, 20));
  EXPECT_THAT(steps[1].micro_computation_us, IsEmpty());
  EXPECT_THAT(steps[0].micro_exposed_us, IsEmpty());
}

TEST(TrainingSteps, of_different_devices_or_with_a_slow_rank_are_different_ones) {
  Table table;
  const auto add = [&](const std::string& device, const std::map<int, double>& slow_down, double time_us) {
    auto row = measured("a", time_us);
    row.schema = Schema::replay;
    row.collective = ringmark::TrainingStep{};
    row.step = StepResult{.model = "m", .device = device, .compute_used = ComputeMode::busy, .slow_down = slow_down};
    table.add(row, "f", table.rows() + 2);
  };
  add("a100", {}, 100);
  add("h100", {}, 40);
  add("h100", {{3, 2}}, 80);
  add_configurations(table);
  const auto steps = training_steps(table, all_rows(table));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].case_name.substr(0, 9), "m, a100, ");
  EXPECT_EQ(steps[1].case_name.substr(0, 26), "m, h100, slowed down 3=2, ");
  EXPECT_EQ(steps[2].case_name.substr(0, 22), "m, h100, training_step");
}

TEST(TrainingSteps, that_were_scaled_say_so) {
  Table table;
  auto row = measured("a", 100);
  row.schema = Schema::replay;
  row.collective = ringmark::TrainingStep{};
  row.step = StepResult{.model = "m", .compute_scale = 2, .size_scale = 0.01};
  table.add(row, "f", 2);
  row.step = StepResult{.model = "m", .compute_scale = 1, .size_scale = 1};
  table.add(row, "f", 3);
  add_configurations(table);
  const auto steps = training_steps(table, all_rows(table));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].scaled, "");
  EXPECT_EQ(steps[1].scaled, "collectives 0.01 times as large, computation 2 times as long");
  EXPECT_THAT(steps[1].case_name, testing::HasSubstr("SCALED: collectives"));
}

}  // namespace
}  // namespace ringmark::analysis
