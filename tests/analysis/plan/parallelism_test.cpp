#include "analysis/plan/parallelism.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/models.hpp"
#include "analysis/plan/words.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

const replay::Transformer& transformer(const char* name) { return *find_model(name)->transformer; }

constexpr auto llama70 = R"(
tokens: 1e12
sequence: 8192
global_batch_sequences: 256
framework: megatron
models: [llama3-70b]
nodes: [8]
clusters:
  - name: A
    device: h100
    price_per_GPU_hour: 2
    intra: {alpha_us: 3, GBps: 370}
    network: {alpha_us: 10, GBps: 370}
)";

TEST(Parallelism, searches_what_divides_gpus_layers_and_heads) {
  const auto found = parallelisms_of({}, transformer("llama3-70b"), 64, 8, 8192);
  const std::set<Parallelism> all(found.begin(), found.end());
  EXPECT_EQ(all.size(), found.size());
  EXPECT_TRUE(all.contains({1, 1, 1, 1, 1}));
  EXPECT_TRUE(all.contains({4, 4, 5, 2, 1}));
  EXPECT_TRUE(all.contains({8, 8, 10, 1, 1}));
  for (const auto& each : found) {
    EXPECT_EQ(64 % each.model_gpus(), 0);
    EXPECT_LE(each.tensor, 8) << "within a node";
    EXPECT_LE(each.context, 2) << "4,096 tokens each";
    EXPECT_TRUE(each.chunks == 1 || each.pipeline > 1);
    EXPECT_EQ(each.expert, 1);
  }
  EXPECT_LT(parallelisms_of({}, transformer("llama3-70b"), 64, 4, 2048).size(), found.size());
}

TEST(Parallelism, layers_that_do_not_divide_have_embedding_and_loss_beside_them_or_a_shorter_end) {
  const auto& model = transformer("llama3-405b");
  ASSERT_EQ(model.layers, 126U);
  EXPECT_TRUE(settings_of(model, {8, 8, 8}).counts_loss_as_layer) << "128 are divisible";
  EXPECT_FALSE(settings_of(model, {8, 7, 6}).counts_loss_as_layer);
  const auto uneven = settings_of(model, {8, 5});
  EXPECT_EQ(uneven.last_layers, 22U);
  EXPECT_EQ(4 * 26U + 22U, 126U);
}

TEST(Parallelism, of_the_scenario_is_taken) {
  auto text = std::string(llama70) + "tp: [4]\npp: [4, 8]\nvp: [1]\ncp: [1]\nmicro_batch: [1]\nrecompute: [full]\n";
  const auto rows = make_plan(scenario_of(text));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].parallelism, (Parallelism{4, 4, 1, 1, 1}));
  EXPECT_EQ(rows[0].copies(), 4);
  EXPECT_EQ(rows[0].accumulation, 64);
  EXPECT_EQ(configuration_words(rows[0]),
            "tensor 4, pipeline 4, data 4, 1 sequence x 64 micro-steps a copy, full recomputation");
  EXPECT_EQ(split_words(rows[1]), "tensor 4, pipeline 8, data 2");
  EXPECT_NEAR(rows[0].tokens_per_s, 256 * 8192 / rows[0].median_s, 1e-3);
}

TEST(Parallelism, that_is_impossible_is_said_in_the_row) {
  const auto scenario = scenario_of(std::string(llama70) + "tp: [3]\n");
  const auto rows = make_plan(scenario);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].fits);
  EXPECT_EQ(misfit_words(scenario, rows[0]), "layers or GPUs not divisible");
  EXPECT_THAT(printed(scenario, rows), HasSubstr("nothing fits"));
}

TEST(Parallelism, interleaving_needs_micro_batches_in_turns) {
  const auto rows = make_plan(scenario_of(with(llama70, "sequences: 256", "sequences: 24") +
                                          "tp: [8]\npp: [4]\nvp: [1, 2]\ncp: [1]\nmicro_batch: [2]\n"));
  for (const auto& row : rows) {
    ASSERT_EQ(row.accumulation, 6);
    EXPECT_EQ(row.is_divisible(), row.parallelism.chunks == 1) << "6 micro-batches on 4 stages";
  }
}

TEST(Parallelism, is_refused_for_other_frameworks) {
  EXPECT_THROW(scenario_of(with(llama70, "megatron", "deepspeed") + "tp: [2]\n"), BadUsage);
}

class SmallSearch : public testing::Test {
 protected:
  Scenario scenario_ = scenario_of(with(with(llama70, "llama3-70b", "llama2-7b"), "nodes: [8]", "nodes: [2]") +
                                   "tp: [1, 2, 8]\nmicro_batch: [1, 2]\nrecompute: [full]\n");
  std::vector<PlanRow> rows_ = make_plan(scenario_);

  /// Every micro-batch of the row, one after another.
  double simulated_s(const PlanRow& row) const {
    const auto trace = replay::megatron::generate(role_settings(scenario_, row));
    const auto& cluster = scenario_.clusters[0];
    const replay::ComputeModel compute{.device = *cluster.device, .software = scenario_.software_kind()};
    const auto network = replay::make_network(links_of(cluster));
    return replay::simulate(trace, replay::usual_scene(trace, compute, 8), *network).total_us / 1e6;
  }
};

TEST_F(SmallSearch, spares_no_step_that_is_among_the_two_fastest) {
  double best = 1e9, second = 1e9;
  for (const auto& row : rows_) {
    if (!row.fits) continue;
    const double step_s = simulated_s(row);
    EXPECT_GE(step_s, row.least_s * (1 - 1e-9)) << configuration_words(row);
    if (row.is_simulated) {
      EXPECT_NEAR(row.step_s / step_s, 1, 0.005) << configuration_words(row);
      EXPECT_NEAR(row.compute_s + row.exposed_s + row.bubble_s, row.step_s, 1e-9);
    }
    second = std::min(second, std::max(best, step_s));
    best = std::min(best, step_s);
  }
  const auto places = places_of(rows_);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_NEAR(rows_[places[0].rows[0]].step_s / best, 1, 0.005);
  EXPECT_NEAR(rows_[places[0].rows[1]].step_s / second, 1, 0.005);
  EXPECT_LT(places[0].rows.size(), rows_.size() / 2) << "or nothing was spared";
}

}  // namespace
}  // namespace ringmark::analysis
