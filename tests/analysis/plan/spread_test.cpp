#include "analysis/plan/spread.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

TEST(Spread, of_one_input_passes_low_and_high_in_5_percent_of_cases) {
  for (const auto& range : {Interval{0.8, 1.4}, Interval{0.5, 1}, Interval{1, 3}, Interval{0.99, 1.01}}) {
    const auto spread = spread_of(cumulants_of(range));
    EXPECT_NEAR(spread.quantile(0.05), range.low, 1e-9);
    EXPECT_NEAR(spread.quantile(0.5), 1, 1e-9) << "the likely value is the median";
    EXPECT_NEAR(spread.quantile(0.95), range.high, 1e-9);
    const double share = range.low < 1 ? 0.3 : 0.7;
    EXPECT_NEAR(spread.probability_below(spread.quantile(share)), share, 1e-9);
  }
  const auto certain = spread_of(cumulants_of({1, 1}));
  EXPECT_EQ(certain.quantile(0.95), 1);
  EXPECT_EQ(certain.mean(), 1);
  EXPECT_EQ(certain.probability_below(0.999), 0);
  EXPECT_EQ(certain.probability_below(1.001), 1);
}

TEST(Spread, of_independent_inputs_is_that_of_their_product) {
  const std::vector<Interval> inputs{{0.75, 1.34}, {0.8, 1.5}, {0.97, 1.6}, {0.9, 1}};
  Cumulants all;
  for (const auto& input : inputs) all = all + cumulants_of(input);
  const auto spread = spread_of(all);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> products(200000, 1);
  double sum = 0;
  for (auto& product : products) {
    for (const auto& input : inputs) {
      const auto [shift, below, above] = scatters_of(input);
      const double z = normal(random);
      product *= std::exp(z * (z < 0 ? below : above));
    }
    sum += product;
  }
  std::sort(products.begin(), products.end());
  const auto drawn = static_cast<double>(products.size());
  EXPECT_NEAR(spread.mean(), sum / drawn, 0.005);
  for (const double share : {0.02, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98}) {
    const double value = products[static_cast<std::size_t>(share * drawn)];
    EXPECT_NEAR(spread.probability_below(value), share, share > 0.2 && share < 0.8 ? 0.025 : 0.01) << value;
  }
}

constexpr auto uncertain = R"(
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [8]
deadline_days: 4
budget: 20e3
clusters:
  - name: A
    device: a100
    price_per_GPU_hour: {low: 1.8, likely: 2.2, high: 3.0}
    node_mtbf_hours: {low: 300, likely: 2000, high: 4000}
    checkpoint_write_s: 60
    restart_s: 300
    intra: {alpha_us: 5, GBps: 230}
    network: {alpha_us: 10, GBps: {low: 10, likely: 180, high: 200}}
)";

Choice best_of(const std::vector<PlanRow>& rows) { return {&rows[places_of(rows).at(0).rows.at(0)]}; }

TEST(Ranges, of_inputs_widen_the_answer_and_leave_what_is_planned) {
  const auto ranged = make_plan(scenario_of(uncertain));
  auto text = with(std::string(uncertain), "{low: 1.8, likely: 2.2, high: 3.0}", "2.2");
  const auto with_price = make_plan(scenario_of(text));
  text = with(text, "{low: 300, likely: 2000, high: 4000}", "2000");
  const auto with_failures = make_plan(scenario_of(text));
  text = with(text, "{low: 10, likely: 180, high: 200}", "180");
  const auto certain = make_plan(scenario_of(text));
  const auto all = best_of(ranged), no_price = best_of(with_price), no_failures = best_of(with_failures),
             none = best_of(certain);
  for (const auto& each : {all, no_price, no_failures}) {
    EXPECT_DOUBLE_EQ(each.row->step_s, none.row->step_s);
    EXPECT_DOUBLE_EQ(each.row->days, none.row->days);
    EXPECT_DOUBLE_EQ(each.row->cost, none.row->cost);
  }
  EXPECT_GT(no_failures.days().range().high, none.days().range().high);
  EXPECT_GT(no_price.days().range().high, no_failures.days().range().high);
  EXPECT_DOUBLE_EQ(all.days().range().high, no_price.days().range().high) << "a price takes no time";
  EXPECT_GT(all.cost().range().high, no_price.cost().range().high);
  EXPECT_LT(all.cost().range().low, no_price.cost().range().low);
  EXPECT_GT(all.row->expected_cost, no_price.row->expected_cost) << "it is rather too low";
}

TEST(Ranges, of_a_network_are_its_steps_at_both_ends) {
  const auto text =
      uncertain + std::string("stages: [3]\nzero_hpz_partition_size: 1\nmicro_batch: [2]\nrecompute: true\n");
  const auto with_rate = [&](const std::string& rate) {
    return make_plan(scenario_of(with(text, "{low: 10, likely: 180, high: 200}", rate))).at(0).step_s;
  };
  const auto row = make_plan(scenario_of(text)).at(0);
  const double slow = with_rate("10"), fast = with_rate("200");
  const auto expected = cumulants_of({fast / row.step_s, slow / row.step_s});
  EXPECT_DOUBLE_EQ(row.step_s, with_rate("180"));
  EXPECT_NEAR(row.of_rates.mean, expected.mean, 1e-12);
  EXPECT_NEAR(row.of_rates.variance, expected.variance, 1e-12);
  EXPECT_NEAR(row.of_rates.third, expected.third, 1e-12);
  EXPECT_GT(slow, row.step_s * 1.01);
}

TEST(Ranges, decide_between_places_by_expected_cost) {
  const std::string text = R"(
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [4]
clusters:
  - {name: sure, device: a100, price_per_GPU_hour: 2.1, intra: {alpha_us: 5, GBps: 230}, network: {alpha_us: 10, GBps: 180}}
  - {name: open, device: a100, price_per_GPU_hour: {low: 1.9, likely: 2, high: 4}, intra: {alpha_us: 5, GBps: 230},
     network: {alpha_us: 10, GBps: 180}}
)";
  const auto scenario = scenario_of(text);
  const auto rows = make_plan(scenario);
  const auto answer = answers_of(scenario, rows).at(0);
  EXPECT_EQ(scenario.clusters[answer.chosen->row->cluster].name, "sure");
  EXPECT_GT(answer.chosen->row->cost, answer.other->row->cost);
  EXPECT_LT(answer.chosen->row->expected_cost, answer.other->row->expected_cost);
}

TEST(Ranges, are_refused_out_of_order) {
  const auto refusal = [](const std::string& price) {
    return scenario_refusal(with(uncertain, "{low: 1.8, likely: 2.2, high: 3.0}", price));
  };
  EXPECT_EQ(refusal("{low: 2.2, likely: 2.2, high: 2.2}"), "read");
  EXPECT_THAT(refusal("{low: 2.3, likely: 2.2, high: 3}"), HasSubstr("low <= likely <= high"));
  EXPECT_THAT(refusal("{low: 1, likely: 2.2, high: 2}"), HasSubstr("price_per_GPU_hour: low 1, likely 2.2, high 2"));
  EXPECT_THAT(refusal("{low: 0, likely: 2.2, high: 3}"), HasSubstr("0 < low"));
  EXPECT_THAT(refusal("{low: 1, high: 3}"), HasSubstr("likely is missing"));
  EXPECT_THAT(refusal("{low: 1, likely: x, high: 3}"), HasSubstr("'x'"));
}

}  // namespace
}  // namespace ringmark::analysis
