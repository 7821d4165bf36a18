#include "analysis/training_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/groups.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TrainingSteps, have_medians_of_their_micro_steps_where_all_launches_tell_as_many) {
  Table table;
  const auto add = [&](const std::string& stage, const std::string& run, const std::string& micro_steps) {
    auto row = measured(run, 100);
    row.schema = "replay/1";
    row.collective = "training_step";
    row.extra = {{"zero_stage", stage}, {"micro_computation_us", micro_steps}};
    table.add(row, "f", table.rows() + 2);
  };
  add("1", "a", "10 20");
  add("1", "b", "12 20.5");
  add("1", "c", "30 1");
  add("2", "a", "10 20");
  add("2", "b", "10");
  add_configurations(table);
  const auto steps = training_steps(table, all_rows(table));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps[0].micro_computation_us, ElementsAre(12, 20));
  EXPECT_THAT(steps[1].micro_computation_us, IsEmpty());
  EXPECT_THAT(steps[0].micro_exposed_us, IsEmpty());
}

}  // namespace
}  // namespace ringmark::analysis
