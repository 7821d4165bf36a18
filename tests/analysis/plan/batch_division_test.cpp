#include "analysis/plan/batch_division.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

constexpr auto of_sevens = R"(
tokens: 20e9
global_batch_sequences: 1024
models: [llama-8b]
nodes: [1, 2, 4]
clusters:
  - {name: A, device: h100, gpus_per_node: 7, price_per_GPU_hour: 2, intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 180}}
)";

TEST(BatchDivision, is_by_nodes_gpus_and_micro_batch) {
  auto scenario = scenario_of(of_sevens);
  EXPECT_TRUE(has_batch_without_division(scenario));
  scenario.global_batch = 1022;
  EXPECT_TRUE(divides_batch(scenario, 2));
  EXPECT_FALSE(divides_batch(scenario, 4));
  EXPECT_FALSE(has_batch_without_division(scenario));
  scenario.global_batch.reset();
  EXPECT_FALSE(has_batch_without_division(scenario));
}

TEST(BatchDivision, has_a_nearest_batch_that_all_numbers_of_nodes_share) {
  auto scenario = scenario_of(of_sevens);
  EXPECT_EQ(nearest_dividing_batch(scenario), 1036);
  scenario.nodes = {1, 2, 4, 5, 9, 11};
  EXPECT_EQ(nearest_dividing_batch(scenario), 1022) << "no common multiple is near";
  scenario.nodes = {1'000'000};
  EXPECT_FALSE(nearest_dividing_batch(scenario)) << "it would be 7 million";
  scenario.nodes = {1};
  scenario.global_batch = 700;
  EXPECT_FALSE(nearest_dividing_batch(scenario)) << "it divides as it is";
}

TEST(BatchDivision, is_the_first_remedy_where_the_batch_divides_nowhere) {
  const auto scenario = scenario_of(of_sevens);
  const auto words = printed(scenario, make_plan(scenario));
  EXPECT_THAT(words, HasSubstr("the nearest that can is 1036"));
  EXPECT_THAT(words, Not(HasSubstr("are not enough")));
  auto divided = scenario;
  divided.global_batch = 1036;
  EXPECT_TRUE(answers_of(divided, make_plan(divided)).front().chosen);
}

}  // namespace
}  // namespace ringmark::analysis
