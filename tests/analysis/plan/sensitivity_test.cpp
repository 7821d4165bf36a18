#include "analysis/plan/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/order.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

constexpr auto one_place = R"(
tokens: 1e9
models: [llama-8b]
stages: [2]
recompute: false
nodes: [4]
utilisation: 0.9
node_mtbf_hours: 1000
checkpoint_write_s: 60
restart_s: 300
clusters:
  - name: A
    device: a100
    price_per_GPU_hour: 2
    intra: {alpha_us: 5, GBps: 200}
    network: {alpha_us: 10, GBps: 20}
)";

double cost_with(const std::string& from, const std::string& to) {
  return make_plan(scenario_of(with(one_place, from, to))).at(0).cost_per_Btok;
}

TEST(Sensitivity, of_an_input_is_a_plan_with_another_value) {
  const auto scenario = scenario_of(one_place);
  const auto row = make_plan(scenario).at(0);
  ASSERT_TRUE(row.fits);
  StepCache cache;
  const auto all = sensitivities_of(scenario, row, cache);
  const auto of = [&](const std::string& name) -> const Sensitivity& {
    return *std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.input->name == name; });
  };
  const auto expect = [&](const char* name, const std::string& from, const std::string& less, const std::string& more) {
    EXPECT_NEAR(of(name).less.cost_per_Btok / cost_with(from, less), 1, 1e-9) << name;
    EXPECT_NEAR(of(name).more.cost_per_Btok / cost_with(from, more), 1, 1e-9) << name;
  };
  expect("price_per_GPU_hour", "hour: 2", "hour: 1.6", "hour: 2.4");
  expect("network_GBps", "GBps: 20}", "GBps: 16}", "GBps: 24}");
  expect("network_alpha_us", "alpha_us: 10", "alpha_us: 8", "alpha_us: 12");
  expect("intra_GBps", "GBps: 200}", "GBps: 160}", "GBps: 240}");
  expect("peak_TFLOPS", "device: a100", "device: a100\n    peak_TFLOPS: 249.6", "device: a100\n    peak_TFLOPS: 374.4");
  expect("utilisation", "utilisation: 0.9", "utilisation: 0.72", "utilisation: 1");
  expect("node_mtbf_hours", "node_mtbf_hours: 1000", "node_mtbf_hours: 800", "node_mtbf_hours: 1200");
  EXPECT_LT(of("peak_TFLOPS").more.compute_s, row.compute_s * 0.9);
  EXPECT_THAT(printed(scenario, {row}), testing::HasSubstr("price_per_GPU_hour (")) << "it is among the three heaviest";
}

TEST(Formulas, have_no_literal_that_spreadsheets_refuse) {
  EXPECT_EQ(quoted("a \"b\""), "\"a \"\"b\"\"\"");
  const auto text = quoted(std::string(600, 'x'));
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 600);
  EXPECT_EQ(std::count(text.begin(), text.end(), '&'), 2);
}

TEST(Order, takes_what_surely_keeps_the_limits_first_and_is_a_formula_too) {
  const auto order = [](double days, double cost, double deadline, double budget, double scatter = 1.1) {
    const Ordered<double> values{.days = days,
                                 .cost = cost,
                                 .expected = cost,
                                 .days_sure = days * scatter,
                                 .cost_sure = cost * scatter,
                                 .deadline = deadline,
                                 .budget = budget};
    const double tier = tier_by<Figures>(values);
    return is_by_days<Figures>(tier, values) ? std::array{tier, days, cost} : std::array{tier, cost, days};
  };
  EXPECT_LT(order(20, 500, 30, 0), order(29, 100, 30, 0)) << "the cheap one may be late";
  EXPECT_LT(order(29, 900, 30, 0), order(31, 100, 30, 0)) << "the cheap one is late";
  EXPECT_LT(order(20, 100, 30, 0), order(10, 200, 30, 0)) << "the cheapest";
  EXPECT_LT(order(10, 200, 0, 300), order(20, 100, 0, 300)) << "the fastest, if only a budget is given";
  EXPECT_LT(order(40, 900, 30, 0), order(50, 100, 30, 0)) << "none is in time: the fastest";
  EXPECT_LT(order(20, 400, 30, 300), order(10, 500, 30, 300)) << "all are too dear: the cheapest";
  EXPECT_LT(order(20, 400, 30, 300), order(35, 200, 30, 300)) << "a late one answers no deadline";
  EXPECT_LT(order(10, 280, 30, 300, 1.5), order(29, 200, 30, 300, 1.5)) << "the cheap one may be late";
  EXPECT_LT(order(10, 280, 30, 300, 1.5), order(9, 281, 30, 300, 1.5)) << "both may be too dear";
  EXPECT_LT(order(40, 100, 30, 0), order(40, 200, 30, 0)) << "equally late: the cheaper";
  EXPECT_LT(order(10, 100, 0, 300), order(10, 200, 0, 300)) << "equally fast: the cheaper";
  EXPECT_LT(order(9, 100, 30, 0), order(10, 100, 30, 0)) << "equally dear: the faster";
  EXPECT_LT(order(1e-12, 1e-9, 30, 0), order(1e-12, 2e-9, 30, 0)) << "however small";
  const auto formula = tier_by<Formulas>({"D", "C", "E", "DH", "CH", "T", "B"});
  EXPECT_EQ(std::count(formula.begin(), formula.end(), '('), std::count(formula.begin(), formula.end(), ')'));
  EXPECT_EQ(formula.rfind("IF(AND(OR(NOT(T>0),D<=T),OR(NOT(B>0),C<=B)),", 0), 0U) << formula;
}

}  // namespace
}  // namespace ringmark::analysis
