#include <array>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/sensitivity.hpp"
#include "analysis/plan/words.hpp"
#include "replay/step/interval.hpp"
#include "results/files/csv.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

constexpr auto searched = R"(
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [1, 2, 4, 6, 8]
clusters:
  - name: A
    device: a100
    price_per_GPU_hour: 2
    intra: {alpha_us: 5, GBps: 230}
    network: {alpha_us: 10, GBps: 180}
  - name: B
    device: h100
    price_per_GPU_hour: 6
    intra: {alpha_us: 5, GBps: 360}
    network: {alpha_us: 10, GBps: 360}
)";

TEST(Search, keeps_the_global_batch_and_simulates_the_two_best_of_each_place) {
  const auto scenario = scenario_of(searched);
  EXPECT_EQ(scenario.stages.size(), 4U);
  EXPECT_EQ(scenario.recompute.size(), 2U);
  EXPECT_EQ(scenario.micro_batches, (std::vector{1, 2, 4, 8, 16, 32, 64}));
  const auto rows = make_plan(scenario);
  std::size_t fits = 0, simulated = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.nodes == 6 && row.accumulation > 0, false) << "48 GPUs do not divide 512 sequences";
    if (!row.fits) continue;
    EXPECT_EQ(row.ranks * row.micro_batch * row.accumulation, 512);
    ++fits;
    simulated += row.is_simulated ? 1 : 0;
  }
  EXPECT_GT(simulated, 0U);
  EXPECT_LT(simulated, fits) << "or nothing was spared";
  for (const auto& place : places_of(rows)) {
    if (place.rows.size() < 2) continue;
    EXPECT_TRUE(rows[place.rows[0]].is_best);
    for (const auto i : place.rows) EXPECT_GE(rows[i].step_s, rows[i].least_s * 0.999);
    // No row that was spared could have been the second.
    const auto& second = rows[place.rows[1]];
    for (const auto& row : rows) {
      if (!row.fits || row.is_simulated || std::array{row.model, row.cluster, row.nodes_index} != place.where) continue;
      EXPECT_GE(row.least_s, second.step_s) << "all have the same batch";
    }
  }
}

TEST(Search, names_the_mildest_change_that_fits) {
  auto scenario = scenario_of(with(searched, "nodes: [1, 2, 4, 6, 8]",
                                   "nodes: [1]\nstages: [0]\nrecompute: false\nframework: deepspeed-0.17.6"));
  const auto rows = make_plan(scenario);
  ASSERT_FALSE(rows[0].fits);
  const auto change = change_that_fits(scenario, rows[0]);
  EXPECT_THAT(change, HasSubstr("stage"));
  EXPECT_THAT(change, testing::Not(HasSubstr("nodes"))) << "eight GPUs can share the states";
  EXPECT_THAT(printed(scenario, rows), HasSubstr("fits with " + change));
}

TEST(Search, computes_core_attention_again_where_its_scores_are_kept) {
  using replay::Recompute;
  using enum Recompute::Kind;
  EXPECT_THAT(scenario_of(searched).recompute, testing::ElementsAre(Recompute{none}, Recompute{full}));
  const auto text =
      with(searched, "nodes: [1, 2, 4, 6, 8]", "nodes: [4]\nsoftware: unfused\nstages: 3\nmicro_batch: 1");
  const auto scenario = scenario_of(text);
  EXPECT_THAT(scenario.recompute, testing::ElementsAre(Recompute{none}, Recompute{selective}, Recompute{full}));
  const auto rows = make_plan(scenario);
  ASSERT_EQ(rows.size(), 12U) << "two clusters, and hpZ or not";
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    EXPECT_GT(rows[i].memory_GB, rows[i + 1].memory_GB + 1);
    EXPECT_GT(rows[i + 1].memory_GB, rows[i + 2].memory_GB + 1);
    ASSERT_TRUE(rows[i].fits);
    EXPECT_LT(rows[i].least_s, rows[i + 1].least_s);
    EXPECT_LT(rows[i + 1].least_s, rows[i + 2].least_s);
  }
  EXPECT_THAT(configuration_words(rows[1]), HasSubstr("selective"));
}

TEST(Search, takes_recomputation_as_predict_does) {
  using replay::Recompute;
  using enum Recompute::Kind;
  const auto recompute = [](const std::string& value) {
    return scenario_of(std::string(searched) + "recompute: " + value + "\n").recompute;
  };
  EXPECT_THAT(recompute("true"), testing::ElementsAre(Recompute{full}));
  EXPECT_THAT(recompute("[no, selective, block:4]"),
              testing::ElementsAre(Recompute{none}, Recompute{selective}, Recompute{full, 4}));
  const auto refusal = [](const std::string& value) {
    return scenario_refusal(std::string(searched) + "recompute: " + value + "\n");
  };
  EXPECT_THAT(refusal("some"), HasSubstr("recompute"));
  EXPECT_THAT(refusal("[full, true]"), HasSubstr("twice"));
  EXPECT_THAT(refusal("block:33"), HasSubstr("32 layers"));
}

TEST(Search, keeps_the_batch_of_a_step_with_a_smaller_micro_batch) {
  auto text = with(searched, "nodes: [1, 2, 4, 6, 8]",
                   "nodes: [1]\nstages: [3]\nrecompute: true\nmicro_batch: 64\naccumulation: 2");
  text = with(text, "global_batch_sequences: 512\n", "");
  const auto scenario = scenario_of(text);
  const auto rows = make_plan(scenario);
  ASSERT_FALSE(rows[0].fits);
  const auto change = change_that_fits(scenario, rows[0]);
  std::smatch numbers;
  ASSERT_TRUE(std::regex_match(change, numbers, std::regex(R"(micro_batch (\d+), accumulation (\d+))"))) << change;
  EXPECT_LT(std::stoi(numbers[1]), 64);
  EXPECT_EQ(std::stoi(numbers[1]) * std::stoi(numbers[2]), 64 * 2);
}

TEST(Answers, are_the_cheapest_for_the_deadline_and_say_how_sure) {
  const auto scenario = scenario_of(std::string(searched) + "deadline_days: 8\ncurrency: EUR\n");
  const auto rows = make_plan(scenario);
  const auto answers = answers_of(scenario, rows);
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0].chosen && answers[0].other);
  const auto& chosen = *answers[0].chosen;
  EXPECT_TRUE(answers[0].meets_deadline);
  EXPECT_LE(chosen.days().not_exceeded(0.9), 8);
  for (const auto& place : places_of(rows)) {
    if (place.rows.empty()) continue;
    const Choice each{&rows[place.rows[0]]};
    const bool is_sure = each.days().not_exceeded(0.9) <= 8;
    EXPECT_TRUE(!is_sure || each.row->expected_cost >= chosen.row->expected_cost);
  }
  const auto days = chosen.days();
  EXPECT_GE(days.probability_below(8).value(), 0.9);
  EXPECT_NEAR(days.probability_below(days.range().high).value(), 0.95, 1e-9);
  EXPECT_NEAR(days.probability_below(days.not_exceeded(0.3)).value(), 0.3, 1e-9);
  EXPECT_NEAR(days.probability_below(chosen.row->days).value(), 0.5, 1e-9) << "the headline is the median";
  const auto need = nodes_for_deadline(scenario, rows, 0, chosen.row->cluster);
  ASSERT_TRUE(need.expected && need.at_best && need.at_worst);
  EXPECT_LE(*need.at_best, *need.expected);
  EXPECT_LE(*need.expected, *need.at_worst);
  EXPECT_THAT(printed(scenario, rows), HasSubstr("EUR"));
  auto late = scenario;
  late.deadline_days = 0.01;
  EXPECT_FALSE(answers_of(late, rows)[0].meets_deadline);
  auto poor = scenario;
  poor.deadline_days.reset();
  poor.budget = chosen.row->cost * 1.01;
  EXPECT_LE(answers_of(poor, rows)[0].chosen->row->cost, *poor.budget);
}

TEST(Answers, more_network_or_memory_never_costs_time) {
  auto scenario =
      scenario_of(with(searched, "    network: {alpha_us: 10, GBps: 180}",
                       "    network: {alpha_us: 10, GBps: 10}\n    next: {device: b200, price_per_GPU_hour: 4}"));
  const auto rows = make_plan(scenario);
  const auto places = places_of(rows);
  const auto& row = rows[places[2].rows[0]];
  ASSERT_EQ(row.nodes, 4);
  const auto changes = what_ifs(scenario, row);
  ASSERT_EQ(changes.size(), 3U);
  for (const auto& each : changes) {
    ASSERT_TRUE(each.row);
    EXPECT_LE(each.row->days, row.days * 1.0001) << each.variant.name;
    EXPECT_NEAR(each.break_even_price, 2 * row.days / each.row->days, 1e-9) << each.variant.name;
  }
  EXPECT_LT(changes[0].row->days, row.days * 0.999) << "10 GB/s hold it up";
  EXPECT_LT(changes[2].row->days, row.days * 0.8);
}

TEST(Search, multiplies_in_fp8_where_the_scenario_says_so) {
  const auto text = with(searched, "    device: a100\n", "    device: h200\n");
  const auto rows = make_plan(scenario_of(text)), in_fp8 = make_plan(scenario_of(text + "product_dtype: fp8\n"));
  ASSERT_EQ(rows.size(), in_fp8.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].memory_GB, in_fp8[i].memory_GB) << "only the computation changes";
    if (!rows[i].fits || rows[i].micro_batch < 4) continue;
    EXPECT_LT(in_fp8[i].least_s, 0.9 * rows[i].least_s);
    EXPECT_GT(in_fp8[i].least_s, 0.5 * rows[i].least_s);
    ++compared;
  }
  EXPECT_GT(compared, 0U);
  EXPECT_THAT(scenario_refusal(searched + std::string("product_dtype: fp8\n")),
              AllOf(HasSubstr("product_dtype"), HasSubstr("a100 has no matrix products in FP8")));
}

TEST(Search, needs_the_memory_that_predict_states) {
  const auto text = with(searched, "[llama-8b]", "[opt-1.3b]");
  const auto scenario = scenario_of(text + "software: transformers\n");
  const auto& shape = scenario.models.front();
  for (const auto& row : make_plan(scenario))
    EXPECT_DOUBLE_EQ(row.memory_GB * 1e9,
                     replay::total_bytes(replay::memory_of(*shape.model, step_settings(scenario, row))));
  // With 16-bit weights, OPT's kernels keep 16 bytes of the width, and 2 of a feed-forward part four times as wide.
  EXPECT_DOUBLE_EQ(replay::kept_bytes(memory_shape(shape, {}), step_settings(scenario, {})).layer, 16 + 4 * 2);
}

TEST(Search, takes_the_peak_that_is_given_with_a_device) {
  const auto rows = make_plan(scenario_of(searched));
  const auto halved = make_plan(scenario_of(with(searched, "device: a100\n", "device: a100\n    peak_TFLOPS: 156\n")));
  ASSERT_EQ(rows.size(), halved.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].fits) continue;
    EXPECT_NEAR(halved[i].least_s / rows[i].least_s, rows[i].cluster == 0 ? 2 : 1, 1e-9);
    if (!halved[i].is_simulated || !rows[i].is_simulated) continue;
    compared += rows[i].cluster == 0 && halved[i].step_s > 1.5 * rows[i].step_s ? 1 : 0;
  }
  EXPECT_GT(compared, 0U);
}

TEST(Answers, that_miss_the_budget_meet_the_deadline_where_any_does) {
  auto scenario = scenario_of(searched + std::string("deadline_days: 30\n"));
  const auto rows = make_plan(scenario);
  const auto in_time = answers_of(scenario, rows)[0];
  ASSERT_TRUE(in_time.meets_deadline);
  scenario.budget = in_time.chosen->row->cost / 2;
  const auto answer = answers_of(scenario, rows)[0];
  EXPECT_TRUE(answer.meets_deadline);
  EXPECT_FALSE(answer.meets_budget);
}

TEST(Plan, without_prices_names_nothing_cheap) {
  auto text = with(searched, "    price_per_GPU_hour: 2\n", "");
  EXPECT_THAT(scenario_refusal(text), HasSubstr("missing for cluster A, and another cluster has one"));
  text = with(text, "    price_per_GPU_hour: 6\n", "");
  const auto scenario = scenario_of(text);
  EXPECT_FALSE(scenario.has_prices());
  const auto rows = make_plan(scenario);
  EXPECT_THAT(printed(scenario, rows), testing::Not(HasSubstr("cheapest")));
  EXPECT_THAT(printed(scenario, rows), testing::Not(HasSubstr("cost")));
  const auto csv = parse_csv(plan_csv(scenario, rows));
  for (const std::string name : {"cost", "cost_per_Btok", "expected_cost"}) {
    const auto found = std::find(csv[0].begin(), csv[0].end(), name);
    ASSERT_NE(found, csv[0].end());
    for (std::size_t row = 1; row < csv.size(); ++row)
      EXPECT_EQ(csv[row][static_cast<std::size_t>(found - csv[0].begin())], "");
  }
  StepCache cache;
  for (const auto& each : sensitivities_of(scenario, rows[places_of(rows).at(2).rows.at(0)], cache)) {
    const auto name = std::string(each.input->name);
    if (name == "peak_TFLOPS") {
      EXPECT_GT(spending_per_billion_tokens(scenario, each.less), spending_per_billion_tokens(scenario, each.more));
    }
  }
}

TEST(Search, has_the_interval_of_the_steps_family) {
  const auto text = with(searched, "[llama-8b]", "[opt-1.3b]") + "software: unfused\nstages: [0]\n";
  const auto first_cluster_alone = text.substr(0, text.find("  - name: ", text.find("  - name: ") + 1)) +
                                   text.substr(text.find("software: unfused"));
  for (const auto& [clusters, has_own] : {std::pair{text, false}, {first_cluster_alone, true}}) {
    const auto scenario = scenario_of(clusters);
    std::size_t compared = 0;
    for (const auto& row : make_plan(scenario)) {
      if (!row.is_simulated) continue;
      // Only the A100 has published steps of this kind.
      const replay::StepFamily family{.software = replay::Software::Kind::unfused,
                                      .framework = scenario.framework.text()};
      const auto interval = replay::interval_of(family, replay::load_device(has_own ? "a100" : "h100"));
      EXPECT_NEAR(row.interval_low_s.value() / row.step_s, interval.low, 1e-9);
      EXPECT_NEAR(row.interval_high_s.value() / row.step_s, interval.high, 1e-9);
      ++compared;
    }
    EXPECT_GT(compared, 0U);
    EXPECT_EQ(center_words(scenario).empty(), has_own);
  }
}

/// The fully sharded 7B of a planner, on 8 nodes of two kinds of GPUs.
std::string fsdp_of(const std::string& device, const std::string& other, const std::string& framework) {
  std::string text = "tokens: 1e11\nsequence: 4096\nmodels: [llama2-7b]\nframework: " + framework +
                     "\nsoftware: fused-attention\nnodes: [8]\nmicro_batch: [1]\nrecompute: [true]\nclusters:\n";
  for (const auto& each : {device, other}) {
    if (each.empty()) continue;
    text += fmt::format("  - {{name: {0}, device: {0}, gpus_per_node: 8, price_per_GPU_hour: 2, intra: {{alpha_us: 5, ",
                        each) +
            "GBps: 360}, network: {alpha_us: 6, GBps: 370}}\n";
  }
  return text;
}

/// Published steps of FSDP exist for some devices; what a comparison says must not depend on that.
TEST(Search, gives_devices_that_are_compared_the_same_center) {
  const auto medians = [](const std::string& text) {
    std::vector<double> all;
    for (const auto& row : make_plan(scenario_of(text))) {
      if (row.is_simulated) all.push_back(row.median_s / row.step_s);
    }
    return all;
  };
  for (const auto* other : {"h200", "b200", "mi300x", "a100"}) {
    const auto both = medians(fsdp_of("h100", other, "pytorch-fsdp"));
    for (const double each : both) EXPECT_NEAR(each, both.front(), 1e-9) << other;
    EXPECT_NEAR(both.front(), other == std::string("a100") ? 1 : 1.122, 1e-3) << other;
  }
  // Alone, or where each has its own, a device keeps its own.
  EXPECT_NEAR(medians(fsdp_of("h100", "", "pytorch-fsdp")).front(), 1, 1e-3);
  EXPECT_NEAR(medians(fsdp_of("mi300x", "", "pytorch-fsdp")).front(), 1.222, 1e-3);
  // A device that a cluster could have instead is compared as well.
  const auto with_next = fsdp_of("h100", "", "pytorch-fsdp");
  EXPECT_NEAR(
      medians(with(with_next, "gpus_per_node: 8", "gpus_per_node: 8, next: {device: h200, price_per_GPU_hour: 3}"))
          .front(),
      1.122, 1e-3);
}

TEST(Search, says_which_steps_an_interval_holds_as_predictions_do) {
  const auto words_of = [](const Scenario& scenario) { return interval_words(scenario, scenario.clusters[0]); };
  const auto alone = scenario_of(fsdp_of("h100", "", "pytorch-fsdp"));
  EXPECT_EQ(words_of(alone), "nine of ten published steps of this kind on h100");
  EXPECT_THAT(printed(alone, make_plan(alone)),
              HasSubstr("h100: the interval covers nine of ten published steps of this"));
  const auto both = scenario_of(fsdp_of("h100", "h200", "pytorch-fsdp"));
  EXPECT_THAT(words_of(both), HasSubstr("nothing was fitted"));
  EXPECT_THAT(printed(both, make_plan(both)), HasSubstr("all use the same median, 1.12 times the prediction"));
}

TEST(Scenario, refuses_contradictions_of_batch_failures_and_money) {
  const std::string text = searched;
  EXPECT_THAT(scenario_refusal(text + "accumulation: [1, 2]\n"), HasSubstr("accumulation: "));
  EXPECT_THAT(scenario_refusal(text + "node_mtbf_hours: 1000\n"), HasSubstr("checkpoint_write_s: missing"));
  EXPECT_THAT(scenario_refusal(text + "restart_s: 100\n"), HasSubstr("node_mtbf_hours: missing"));
  EXPECT_THAT(scenario_refusal(text + "currency: '\"'\n"), HasSubstr("currency "));
  EXPECT_THAT(scenario_refusal(text + "utilisation: 1.5\n"), HasSubstr("utilisation: '1.5' "));
  EXPECT_THAT(scenario_refusal(with(text, "    price_per_GPU_hour: 2\n", "") + "budget: 1e6\n"),
              HasSubstr("price_per_GPU_hour: "));
  EXPECT_THAT(scenario_refusal(with(text, "    device: a100\n", "    peak_TFLOPS: 312\n    next: {device: h100}\n")),
              HasSubstr("next: "));
}

}  // namespace
}  // namespace ringmark::analysis
