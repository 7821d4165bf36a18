#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/step_model.hpp"
#include "base/errors.hpp"
#include "replay/generate/generate.hpp"
#include "replay/predict/scorecard.hpp"
#include "results/files/csv.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

TEST(Models, have_exactly_as_many_parameters_as_published) {
  const std::map<std::string, double> published{
      {"llama-440m", 439927808},    {"llama-8b", 8030261248},     {"opt-125m", 125239296},
      {"cerebras-590m", 590310912}, {"opt-1.3b", 1315758080},     {"cerebras-2.7b", 2651553280},
      {"llama2-7b", 6738415616},    {"opt-30b", 29974540288},     {"llama2-70b", 68976648192},
      {"llama3-70b", 70553706496},  {"llama3-405b", 405853388800}};
  ASSERT_EQ(shipped_models().size(), published.size());
  for (const auto& [name, parameters] : published) EXPECT_EQ(find_model(name).value().parameters, parameters) << name;
}

TEST(Plan, states_take_the_bytes_of_their_stage) {
  // Before 0.17.6 stage 0 shards the optimizer's states.
  auto scenario = scenario_of(std::string(small) + "framework: deepspeed-0.17.6\n");
  scenario.bucket_elements = 1;
  scenario.sequence = 1;
  const auto rows = make_plan(scenario);
  // Model states of 8 billion parameters on 16 GPUs, in GB: 128, 38.1, 23.1, 8.0; gradients in 32 bits, 2.0, and
  // what stage 3 has gathered: 2.0. Activations of one token are small.
  const double states[]{128.5, 40.1, 25.1, 12.0};
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_NEAR(rows[static_cast<std::size_t>(2 * stage)].memory_GB, states[stage], 0.1) << stage;
  }
}

TEST(Plan, has_days_money_and_energy_that_can_be_done_by_hand) {
  const auto scenario = scenario_of(small);
  const auto rows = make_plan(scenario);
  const auto found =
      std::find_if(rows.begin(), rows.end(), [](const PlanRow& row) { return row.is_simulated && row.nodes == 8; });
  ASSERT_NE(found, rows.end());
  const auto& row = *found;
  ASSERT_EQ(row.ranks, 64);
  EXPECT_NEAR(row.step_s, row.compute_s + row.exposed_s, 1e-9);
  EXPECT_NEAR(row.tokens_per_s, 64 * 2048 / row.step_s, 1e-6);
  EXPECT_NEAR(row.samples_per_s, 64 / row.step_s, 1e-9);
  EXPECT_NEAR(row.days, 1e9 / row.tokens_per_s / 86400, 1e-9);
  EXPECT_NEAR(row.cost, 1e9 / row.tokens_per_s / 3600 * 64 * 2, 1e-6);
  EXPECT_NEAR(row.cost_per_Btok, row.cost, 1e-9) << "of a billion tokens";
  EXPECT_NEAR(row.energy_MWh, row.days * 24 * 64 * 0.5 / 1000, 1e-9);
}

/// Without a device all operations have one efficiency: 2 for each parameter that is multiplied and token, with
/// attention's, once forward, once again, and twice backward.
TEST(Plan, computes_at_the_efficiency_of_a_cluster_without_a_device) {
  const double multiplied = 8030261248 - 128256.0 * 4096;
  const double micro_s = 4 * 2048 * (2 * multiplied + 2.0 * 32 * 2048 * 4096) / (312e12 * 0.4);
  for (const auto& row : make_plan(scenario_of(small))) {
    ASSERT_TRUE(row.fits);
    EXPECT_NEAR(row.least_s / micro_s, 1, 0.02);
    if (row.is_simulated) {
      EXPECT_GE(row.step_s, row.least_s * 0.999);
    }
  }
}

TEST(Plan, has_the_steps_of_the_replayers_prediction) {
  const auto scenario = scenario_of(with(with(small, "peak_TFLOPS: 312", "device: a100"), "sequence: 2048",
                                         "sequence: 2048\naccumulation: [2, 7]\nreduce_scatter: true"));
  auto links = replay::Links{
      .between = {10, 100}, .within = replay::Link{5, 200}, .ranks_per_node = 8, .transport = Transport::nccl};
  std::size_t compared = 0;
  for (const auto& row : make_plan(scenario)) {
    if (!row.is_simulated) continue;
    replay::PublishedStep step;
    step.links = links;
    const auto trace = replay::generate(*scenario.models[0].model, step_settings(scenario, row));
    EXPECT_NEAR(row.step_s / predicted_step_s(trace, step, replay::load_device("a100")), 1, 1e-6);
    EXPECT_EQ(trace.micro_steps, row.accumulation);
    ++compared;
  }
  EXPECT_GT(compared, 4U);
}

/// The talks' scaling factors with ZeRO-3: above 0.8 over RoCE, up to 48 nodes; over TCP models of more than a billion
/// parameters do not gain by a second node. results/reference has their other figures.
TEST(Plan, scales_over_roce_and_not_over_tcp_as_published) {
  const auto plan = [](const char* network) {
    return make_plan(scenario_of(std::string(R"(
tokens: 1e9
models: [llama-8b]
stages: [3]
micro_batch: [4]
recompute: true
nodes: [1, 2, 4, 8, 16, 32, 48]
clusters:
  - {name: H100, peak_TFLOPS: 989, memory_GB: 85.9, intra: {alpha_us: 5, GBps: 450}, network: )") +
                                 network + "}\n"));
  };
  for (const auto& row : plan("{alpha_us: 10, GBps: 183}")) {
    ASSERT_TRUE(row.is_simulated) << "one configuration for each place";
    EXPECT_GT(row.scaling_factor, 0.8) << row.model << " on " << row.nodes;
  }
  for (const auto& row : plan("{alpha_us: 50, GBps: 1.2}")) {
    if (row.nodes == 2) {
      EXPECT_LT(row.scaling_factor, 0.5) << "two nodes give less than one";
    }
  }
}

TEST(Plan, knows_what_rested_links_let_through_at_once) {
  const auto step_s = [](const char* network) {
    const auto text = with(with(small, "[0, 1, 2, 3]", "[0]"), "{alpha_us: 10, GBps: 100}", network);
    return make_plan(scenario_of(text)).front().step_s;  // stage 0, whose all_reduce follows computation
  };
  EXPECT_LT(step_s("{alpha_us: 10, GBps: 1, burst_bytes: 1e8}"), step_s("{alpha_us: 10, GBps: 1}") - 0.05)
      << "100 MB at 1 GB/s";
}

TEST(Plan, simulates_a_model_that_is_a_shape_as_one_of_its_size) {
  const auto text =
      with(small, "llama-8b", "{name: mine, parameters: 8e9, layers: 32, hidden: 4096, vocabulary: 128256}");
  const auto known = make_plan(scenario_of(small)), shaped = make_plan(scenario_of(text));
  ASSERT_EQ(known.size(), shaped.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i].is_simulated || !shaped[i].is_simulated) continue;
    EXPECT_NEAR(shaped[i].step_s / known[i].step_s, 1, 0.15);
  }
}

TEST(Scenario, refuses_keys_of_the_arithmetic_that_was) {
  const std::string text = small;
  EXPECT_THAT(scenario_refusal(text + "gather_ratio: 1\n"), HasSubstr("gather_ratio: "));
  EXPECT_THAT(scenario_refusal(text + "overlap: 0.5\n"), HasSubstr("overlap_comm: true or false"));
  EXPECT_THAT(scenario_refusal(text + "replay: false\n"), HasSubstr("replay: "));
  EXPECT_EQ(scenario_refusal(text + "replay: true\n"), "read");
}

TEST(Plan, takes_NCCLs_links_from_a_fit_within_and_between_nodes) {
  auto text = with(small, "network: {alpha_us: 10, GBps: 100}", "network: {transport: nccl}");
  text = with(text, "intra: {alpha_us: 5, GBps: 200}", "intra: {transport: nccl}");
  Fit fit;
  fit.links = {{.network = "ib",
                .between = FitLink{13, 380},
                .within = FitLink{4, 410},
                .ranks_per_node = 8,
                .nodes = {1, 2},
                .launch_us = 9,
                .run_ids = {"run-7"}}};
  const auto scenario = read_scenario("s.yaml", text, fit);
  const auto links = links_of(scenario.clusters[0]);
  EXPECT_EQ(links.transport, Transport::nccl);
  EXPECT_EQ(links.between.alpha_us, 13);
  EXPECT_EQ(links.between.GBps, 380);
  EXPECT_EQ(links.within->GBps, 410);
  EXPECT_EQ(links.launch_us, 9);
  EXPECT_EQ(scenario.clusters[0].network.fitted_ranks, 16);
  EXPECT_THAT(scenario.clusters[0].network.source, HasSubstr("run-7"));
  fit.links[0].between->alpha_us.reset();
  EXPECT_THROW(read_scenario("s.yaml", text, fit), BadUsage);
  const auto given = with(text, "network: {transport: nccl}", "network: {transport: nccl, alpha_us: 20}");
  EXPECT_EQ(read_scenario("s.yaml", given, fit).clusters[0].network.alpha_us, 20);
  fit.links[0].within.reset();
  EXPECT_THROW(read_scenario("s.yaml", given, fit), BadUsage);
}

TEST(Plan, has_the_schedules_of_the_transport_that_is_given) {
  const auto by = [](const std::string& transport) {
    auto scenario = scenario_of(with(small, "network: {", "network: {transport: " + transport + ", "));
    EXPECT_EQ(name(links_of(scenario.clusters[0]).transport), transport);
    return make_plan(scenario).back().step_s;
  };
  EXPECT_NE(by("nccl"), by("tcp"));
  EXPECT_EQ(links_of(scenario_of(small).clusters[0]).transport, Transport::nccl);
}

TEST(Plan, what_does_not_fit_has_no_numbers_and_is_never_best) {
  const auto scenario = scenario_of(with(small, "memory_GB: 1000", "memory_GB: 40"));
  const auto rows = make_plan(scenario);
  EXPECT_FALSE(rows[0].fits);
  const auto csv = parse_csv(plan_csv(scenario, rows));
  ASSERT_EQ(csv.size(), rows.size() + 1);
  const auto least_s = std::find(csv[0].begin(), csv[0].end(), "least_s") - csv[0].begin();
  EXPECT_EQ(csv[1].at(static_cast<std::size_t>(least_s)), "");
  EXPECT_EQ(csv[1].back(), "0");
  int best = 0;
  for (const auto& row : rows) best += row.is_best ? 1 : 0;
  EXPECT_GE(best, 2) << "one for each number of nodes, or several that are as fast";
}

TEST(Plan, takes_alpha_and_rate_from_a_fit_and_says_from_where) {
  const auto text = with(small, "network: {alpha_us: 10, GBps: 100}", "network: {transport: nccl, network: ib}");
  EXPECT_THAT(scenario_refusal(text), HasSubstr("--fit FILE"));
  Fit fit;
  FitModel model;
  model.transport = "nccl";
  model.network = "ib";
  model.collective = "all_reduce";
  model.algorithm = "recursive_doubling";
  model.segments = {{1, 2, 99999, 0.5, {}, {}, 0, 2}};
  fit.models = {model};
  model.algorithm = "ring";
  model.run_ids = {"run-7"};
  model.hosts = {"a", "b"};
  model.ranks = {8, 16};
  model.segments = {{1, 2, 3, 0.5, {}, {}, 0, 2}, {3, 4, 7, 1e-5, {}, {}, 0, 2}};
  fit.models.push_back(model);
  const auto scenario = read_scenario("s.yaml", text, fit);
  EXPECT_DOUBLE_EQ(scenario.clusters[0].network.alpha_us, 7);
  EXPECT_NEAR(scenario.clusters[0].network.GBps, 100, 1e-9);
  EXPECT_THAT(scenario.clusters[0].network.source, HasSubstr("runs run-7, on a b"));
  EXPECT_EQ(scenario.clusters[0].network.burst_bytes, 0);
  fit.bursts = {{"nccl", "roce", 7, 1}, {"verbs", "ib", 4096, 1}};
  EXPECT_EQ(read_scenario("s.yaml", text, fit).clusters[0].network.burst_bytes, 4096)
      << "a link is one for every transport";
  fit.bursts.push_back({"nccl", "ib", 8192, 1});
  EXPECT_EQ(read_scenario("s.yaml", text, fit).clusters[0].network.burst_bytes, 8192);
  EXPECT_THAT(printed(scenario, make_plan(scenario)), HasSubstr("are extrapolated"));
  int beyond = 0, within = 0;
  for (const auto& row : make_plan(scenario)) {
    EXPECT_EQ(row.is_beyond_fit, row.nodes > 1 && row.ranks > 16);
    ++(row.is_beyond_fit ? beyond : within);
  }
  EXPECT_GT(beyond, 0);
  EXPECT_GT(within, 0);
  fit.models.push_back(model);
  EXPECT_THROW(read_scenario("s.yaml", text, fit), BadUsage) << "which of the two?";
  fit.models.pop_back();
  auto undetermined = fit;
  undetermined.models[1].segments.back().alpha_us = 0;
  EXPECT_DOUBLE_EQ(read_scenario("s.yaml", text, undetermined).clusters[0].network.alpha_us, 3)
      << "of shorter messages, where long ones do not show it";
  undetermined.models[1].segments.front().alpha_us = 0;
  EXPECT_THROW(read_scenario("s.yaml", text, undetermined), BadUsage) << "an alpha of 0 would hide all latency";
  const auto with_alpha = with(text, "network: ib}", "network: ib, alpha_us: 12}");
  EXPECT_DOUBLE_EQ(read_scenario("s.yaml", with_alpha, undetermined).clusters[0].network.alpha_us, 12);
  EXPECT_NEAR(read_scenario("s.yaml", with_alpha, undetermined).clusters[0].network.GBps, 100, 1e-9);
  fit.models[1].network = "roce";
  EXPECT_THROW(read_scenario("s.yaml", text, fit), BadUsage);
}

TEST(Scenario, complains_of_everything_at_once_with_lines) {
  const auto text = with(with(with(small, "tokens: 1e9", "tokens: many"), "llama-8b", "llama-9b"), "nodes: [2, 8]",
                         "nodes: [1, 2.5, 2, 2]");
  const auto problems = scenario_refusal(text);
  EXPECT_THAT(problems, HasSubstr("s.yaml:2: tokens: 'many' "));
  EXPECT_THAT(problems, AllOf(HasSubstr("s.yaml:4: "), HasSubstr("llama-9b"), HasSubstr("llama-440m")));
  EXPECT_THAT(problems, HasSubstr("s.yaml:6: nodes: '2.5' "));
  EXPECT_THAT(problems, HasSubstr("nodes: 2 is listed twice"));
  EXPECT_THAT(scenario_refusal(with(small, "peak_TFLOPS", "peak_TFLOPs")), HasSubstr("'peak_TFLOPs' "));
  EXPECT_THAT(scenario_refusal(with(small, "tokens: 1e9", "")), HasSubstr("tokens is missing"));
  for (const std::string name : {"''", "'=1+1'", "'a\"b'", "'llama*'", "'@x'"}) {
    EXPECT_THAT(scenario_refusal(with(small, "name: A", "name: " + name)), HasSubstr("invalid name of a cluster"))
        << name;
  }
  EXPECT_THAT(scenario_refusal(with(small, "[llama-8b]", "[llama-8b, llama-8b]")),
              HasSubstr("two models are called llama-8b"));
  EXPECT_THAT(scenario_refusal(with(small, "network: {", "network: {transport: udp, ")),
              AllOf(HasSubstr("transport: 'udp'"), HasSubstr("nccl")));
  EXPECT_THAT(scenario_refusal(with(small, "memory_GB: 1000", "reserve_GB: 80")), HasSubstr("must be below memory_GB"));
  EXPECT_THAT(scenario_refusal("[1, 2]"), HasSubstr("s.yaml:1: the scenario: "));
  EXPECT_THAT(scenario_refusal("a: [\n"), HasSubstr("s.yaml:"));
  EXPECT_THAT(scenario_refusal(""), HasSubstr("s.yaml:1: the scenario: "));
  EXPECT_THAT(scenario_refusal("a\n"), HasSubstr("the scenario: 'a' "));
}

TEST(Scenario, the_shipped_ones_read) {
  std::ostringstream text;
  text << std::ifstream(RINGMARK_SOURCE_DIR "/analysis/scenarios/example.yaml").rdbuf();
  EXPECT_GT(make_plan(scenario_of(text.str())).size(), 100U);
  std::ostringstream demo;
  demo << std::ifstream(RINGMARK_SOURCE_DIR "/analysis/scenarios/demo.yaml").rdbuf();
  EXPECT_THAT(scenario_refusal(demo.str()), HasSubstr("--fit FILE"));
}

}  // namespace
}  // namespace ringmark::analysis
