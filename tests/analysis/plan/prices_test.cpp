#include "analysis/plan/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/purchase_words.hpp"
#include "analysis/plan/search.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

const std::string priced = with(small, "stages: [0, 1, 2, 3]", "stages: [3]\nzero_hpz_partition_size: 1");

TEST(Prices, write_off_what_is_bought_and_pay_for_spare_nodes) {
  const auto rented = make_plan(scenario_of(priced));
  const auto bought = make_plan(scenario_of(
      with(with(priced, "price_per_GPU_hour: 2",
                "purchase: {price_per_GPU: 35040, years: 2, electricity_per_kWh: 0.2, PUE: 1.5}\n    spare_nodes: 1"),
           "power_kW_per_GPU: 0.5", "power_kW_per_GPU: 0.8")));
  ASSERT_EQ(rented.size(), bought.size());
  const double hour = 35040 / (2 * 8760.0) + 0.8 * 1.5 * 0.2;
  for (std::size_t i = 0; i < rented.size(); ++i) {
    if (!rented[i].is_simulated) continue;
    EXPECT_DOUBLE_EQ(bought[i].days, rented[i].days);
    EXPECT_NEAR(bought[i].cost, rented[i].cost / 2 * hour * (rented[i].nodes + 1) / rented[i].nodes,
                1e-9 * bought[i].cost);
  }
  EXPECT_THAT(scenario_refusal(
                  with(priced, "power_kW_per_GPU: 0.5", "purchase: {price_per_GPU: 30000, electricity_per_kWh: 0.1}")),
              HasSubstr("leave out price_per_GPU_hour"));
}

TEST(Prices, are_the_contracts_for_reserved_nodes_and_the_price_for_others) {
  const auto on_demand = make_plan(scenario_of(priced));
  const auto with_contract = [&](const std::string& reserved, const std::string& spare = "") {
    return make_plan(
        scenario_of(with(priced, "price_per_GPU_hour: 2", "price_per_GPU_hour: 2\n    reserved: " + reserved + spare)));
  };
  const auto by_nodes = with_contract("{nodes: 4, price_per_GPU_hour: 1.5}"),
             by_share = with_contract("{share: 25 %, price_per_GPU_hour: 1}"),
             with_spare = with_contract("{nodes: 4, price_per_GPU_hour: 1.5}", "\n    spare_nodes: 8");
  int compared = 0;
  for (std::size_t i = 0; i < on_demand.size(); ++i) {
    const auto& row = on_demand[i];
    if (!row.is_simulated) continue;
    EXPECT_NEAR(by_nodes[i].cost / row.cost, (row.nodes == 2 ? 1.5 : (4 * 1.5 + 4 * 2) / 8) / 2, 1e-9);
    EXPECT_NEAR(by_share[i].cost / row.cost, (0.25 * 1 + 0.75 * 2) / 2, 1e-9);
    EXPECT_NEAR(with_spare[i].cost / row.cost, (4 * 1.5 + (row.nodes + 4) * 2.0) / (2.0 * row.nodes), 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
  const auto refusal = [](const std::string& reserved) {
    return scenario_refusal(with(priced, "price_per_GPU_hour: 2", "price_per_GPU_hour: 2\n    reserved: " + reserved));
  };
  EXPECT_THAT(refusal("{nodes: 4, share: 0.5, price_per_GPU_hour: 1}"), HasSubstr("nodes or share"));
  EXPECT_THAT(refusal("{price_per_GPU_hour: 1}"), HasSubstr("nodes or share"));
  EXPECT_THAT(refusal("{share: 120 %, price_per_GPU_hour: 1}"), HasSubstr("share: '120 %'"));
  EXPECT_THAT(scenario_refusal(with(priced, "price_per_GPU_hour: 2",
                                    "reserved: {share: 1, price_per_GPU_hour: 1}\n    purchase: {price_per_GPU: 9, "
                                    "electricity_per_kWh: 0}")),
              HasSubstr("reserved or purchase"));
  EXPECT_THAT(refusal("{share: 0.5}"), HasSubstr("price_per_GPU_hour is missing"));
  EXPECT_THAT(scenario_refusal(with(priced, "price_per_GPU_hour: 2", "reserved: {share: 1, price_per_GPU_hour: 1}")),
              HasSubstr("give price_per_GPU_hour"));
}

const auto buy_or_rent = R"(
tokens: 20e9
global_batch_sequences: 64
models: [llama-8b]
nodes: [2, 4, 8]
clusters:
  - {name: rent, device: h100, price_per_GPU_hour: 2, intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 180}}
  - {name: buy, device: h100, spare_nodes: 1, power_kW_per_GPU: 1, intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 180},
     purchase: {price_per_GPU: 40000, years: 4, electricity_per_kWh: 0.2, PUE: 1.5}}
)";

TEST(Purchase, shows_the_order_its_parts_and_the_use_that_pays) {
  const auto scenario = scenario_of(with(buy_or_rent, "price_per_GPU_hour: 2", "price_per_GPU_hour: 3"));
  const auto rows = make_plan(scenario);
  const auto answer = answers_of(scenario, rows).front();
  ASSERT_TRUE(answer.bought);
  ASSERT_TRUE(answer.rented);
  const auto& bought = *answer.bought->row;
  const double paid = bought.ranks + 8, hours = bought.days * 24 * paid;
  EXPECT_DOUBLE_EQ(bought.outlay, paid * 40000);
  EXPECT_NEAR(bought.depreciation + bought.electricity, bought.cost, 1e-9 * bought.cost);
  EXPECT_NEAR(bought.electricity, hours * 1.5 * 0.2, 1e-9 * bought.cost);
  EXPECT_NEAR(bought.energy_MWh, hours * 1.5 / 1000, 1e-9) << "of all that is paid for";
  const double use = break_even_use(bought, answer.rented->row->cost);
  EXPECT_NEAR(bought.depreciation / use + bought.electricity, answer.rented->row->cost, 1e-9 * bought.cost);
  EXPECT_GT(break_even_use(bought, bought.electricity / 2), 1) << "never";
  const auto text = printed(scenario, rows);
  EXPECT_THAT(text, HasSubstr("order of"));
  EXPECT_THAT(text, HasSubstr(fmt::format("if it is used for more than {:.0f} % of that time", 100 * use)));
  EXPECT_THAT(plan_csv(scenario, rows), HasSubstr("outlay,depreciation,electricity"));
}

TEST(Ties, are_broken_by_cost) {
  auto scenario =
      scenario_of(with(with(buy_or_rent, "price_per_GPU_hour: 2", "price_per_GPU_hour: 9"), "spare_nodes: 1, ", ""));
  for (const double deadline : {1e-6, 1e5}) {
    scenario.deadline_days = deadline;
    const auto rows = make_plan(scenario);
    const auto answer = answers_of(scenario, rows).front();
    EXPECT_EQ(answer.meets_deadline, deadline > 1);
    EXPECT_EQ(scenario.clusters[answer.chosen->row->cluster].name, "buy");
  }
  scenario.deadline_days.reset();
  scenario.budget = 1e12;  // alone: the fastest
  EXPECT_EQ(answers_of(scenario, make_plan(scenario)).front().chosen->row->cluster, 1U);
  scenario.tokens = 1;
  EXPECT_EQ(answers_of(scenario, make_plan(scenario)).front().chosen->row->cluster, 1U);
}

TEST(Prices, may_be_zero_and_are_refused_once) {
  const auto free = scenario_of(with(buy_or_rent, "price_per_GPU_hour: 2", "price_per_GPU_hour: 0"));
  EXPECT_TRUE(free.has_prices());
  const auto rows = make_plan(free);
  const auto answer = answers_of(free, rows).front();
  EXPECT_EQ(answer.chosen->row->cluster, 0U);
  EXPECT_EQ(answer.chosen->row->cost, 0);
  for (const std::string value : {"-1", "{low: 1, high: 2}"}) {
    const auto refusal = scenario_refusal(with(buy_or_rent, "price_per_GPU_hour: 2", "price_per_GPU_hour: " + value));
    EXPECT_THAT(refusal, HasSubstr("price_per_GPU_hour"));
    EXPECT_THAT(refusal, testing::Not(HasSubstr("missing for cluster"))) << value;
  }
  EXPECT_DOUBLE_EQ(scenario_of(with(buy_or_rent, "tokens: 20e9", "tokens: 20e9\ncertainty: 80 %")).certainty, 0.8);
  EXPECT_THAT(scenario_refusal(with(buy_or_rent, "tokens: 20e9", "tokens: 20e9\ncertainty: 100 %")),
              HasSubstr("from 50 % to 99 %"));
}

TEST(Doubts, name_the_usual_value) {
  EXPECT_TRUE(doubts_of(scenario_of(buy_or_rent)).empty());
  const auto doubts = doubts_of(scenario_of(with(
      with(with(buy_or_rent, "device: h100, price_per_GPU_hour: 2,",
                "device: h100, price_per_GPU_hour: 2300, peak_TFLOPS: 1979, memory_GB: 800, power_kW_per_GPU: 700,"),
           "GBps: 180", "GBps: 900"),
      "40000", "38")));
  for (const char* words : {"989: give the dense", "memory_GB 800", "power_kW_per_GPU 700", "rents for 1 to 10 USD",
                            "900 GB/s between nodes", "costs 10000"})
    EXPECT_THAT(doubts, testing::Contains(HasSubstr(words)));
}

}  // namespace
}  // namespace ringmark::analysis
