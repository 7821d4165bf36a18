#include "analysis/plan/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
              HasSubstr("leave price_per_GPU_hour out"));
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

}  // namespace
}  // namespace ringmark::analysis
