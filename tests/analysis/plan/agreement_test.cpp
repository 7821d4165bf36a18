// Plans against the program ringmark-replay, on random configurations.
#include <fstream>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/plan/search.hpp"
#include "analysis/plan/words.hpp"
#include "base/system/files.hpp"
#include "tests/analysis/plan/scenario_text.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using Kind = replay::Framework::Kind;

class Agreement : public testing::Test {
 protected:
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[random_() % values.size()];
  }
  double between(double least, double most) { return std::uniform_real_distribution(least, most)(random_); }

  /// A scenario of one configuration, in whose memory everything fits.
  Scenario random_scenario() {
    const std::string framework = one_of({"deepspeed", "deepspeed", "pytorch-ddp", "pytorch-fsdp", "pytorch-fsdp2"});
    auto scenario = scenario_of(fmt::format(
        "tokens: 1e9\nsequence: {}\nmodels: [{}]\nframework: {}\nmicro_batch: [{}]\naccumulation: [{}]\n"
        "software: {}\nrecompute: [{}]\nnodes: [{}]\n{}clusters:\n"
        "  - {{name: A, device: {}, gpus_per_node: {}, memory_GB: 9000, reserve_GB: 1,\n"
        "     intra: {{alpha_us: {:.3f}, GBps: {:.2f}}}, network: {{alpha_us: {:.3f}, GBps: {:.2f}}}}}\n",
        one_of({512, 2048, 4096}), one_of({"llama-8b", "opt-1.3b", "llama-440m", "llama2-7b", "llama2-70b"}), framework,
        one_of({1, 2, 4}), one_of({1, 2, 5, 16}), one_of({"fused-attention", "unfused"}),
        one_of({"true", "false", "selective", "block:5"}), one_of({1, 2, 4, 16, 64, 256, 2048}),
        one_of({"overlap_comm: true\n", "overlap_comm: false\n", ""}),
        one_of({"a100", "h100", "h200", "b200", "mi300x"}), one_of({8, 8, 4}), between(1, 8), between(50, 450),
        between(2, 40), between(5, 400)));
    scenario.stages = {scenario.stages[random_() % scenario.stages.size()]};
    scenario.shard_groups = {scenario.shard_groups[random_() % scenario.shard_groups.size()]};
    return scenario;
  }

  /// Megatron's splits of a model on some nodes.
  Scenario random_splits() {
    return scenario_of(fmt::format(
        "tokens: 1e9\nsequence: {}\nmodels: [{}]\nframework: megatron\nglobal_batch_sequences: {}\nmicro_batch: [{}]\n"
        "recompute: [{}]\nnodes: [{}]\nreduce_dtype: {}\nclusters:\n"
        "  - {{name: A, device: {}, memory_GB: 9000, reserve_GB: 1,\n"
        "     intra: {{alpha_us: {:.3f}, GBps: {:.2f}}}, network: {{alpha_us: {:.3f}, GBps: {:.2f}}}}}\n",
        one_of({2048, 8192}), one_of({"llama-8b", "llama3-70b", "llama3-405b"}), one_of({256, 512, 768}),
        one_of({1, 2}), one_of({"no", "full"}), one_of({1, 4, 16, 48}), one_of({"fp32", "bf16"}),
        one_of({"a100", "h100", "b200"}), between(1, 8), between(50, 450), between(2, 40), between(5, 400)));
  }

  /// The time that the program prints for a row.
  double predicted_s(const Scenario& scenario, const PlanRow& row) const {
    const auto& cluster = scenario.clusters[0];
    auto words = fmt::format(
        "{}/ringmark-replay predict --model {} --framework {} --ranks {} --ranks-per-node {} --sequence {} "
        "--micro-batch {} --grad-accum {} --device {} --alpha-us {} --bandwidth-GBps {} --within-alpha-us {} "
        "--within-bandwidth-GBps {} --json {}",
        bin, scenario.models[0].name, scenario.framework.text(), row.ranks, cluster.gpus_per_node, scenario.sequence,
        row.micro_batch, row.accumulation, cluster.device->name, cluster.network.alpha_us, cluster.network.GBps,
        cluster.intra.alpha_us, cluster.intra.GBps, folder_.file("p.json"));
    if (row.has_roles()) {
      const auto& [tensor, pipeline, chunks, context, expert] = row.parallelism;
      words += fmt::format(" --tp {} --pp {} --vp {} --cp {} --ep {} --reduce-dtype {}{}", tensor, pipeline, chunks,
                           context, expert, name(scenario.reduce_type), tensor > 1 ? " --sp" : "");
    }
    if (scenario.framework.kind == Kind::deepspeed) {
      nlohmann::json config{{"bf16", {{"enabled", true}}},
                            {"train_micro_batch_size_per_gpu", row.micro_batch},
                            {"gradient_accumulation_steps", row.accumulation},
                            {"zero_optimization", {{"stage", row.stage}}}};
      if (scenario.overlaps) config["zero_optimization"]["overlap_comm"] = *scenario.overlaps;
      if (row.shard_group > 0) config["zero_optimization"]["zero_hpz_partition_size"] = row.shard_group;
      std::ofstream(folder_.file("ds.json")) << config;
      words += " --ds-config " + folder_.file("ds.json");
    }
    const bool is_hybrid = scenario.framework.kind != Kind::deepspeed && row.shard_group > 0;
    if (is_hybrid) words += fmt::format(" --shard-degree {}", row.shard_group);
    if (scenario.framework.kind == Kind::pytorch_fsdp)
      words += fmt::format(" --sharding-strategy {}", is_hybrid ? row.stage == 2 ? "HYBRID_SHARD_ZERO2" : "HYBRID_SHARD"
                                                      : row.stage == 2 ? "SHARD_GRAD_OP"
                                                                       : "FULL_SHARD");
    if (scenario.framework.kind == Kind::pytorch_fsdp2 && row.stage == 2) words += " --reshard-after-forward false";
    words += fmt::format(" --recompute {} --software {}", name(row.recompute),
                         replay::software_of(scenario.software_kind()).name);
    const auto result = run(words);
    EXPECT_EQ(result.status, 0) << words << "\n" << result.output;
    return nlohmann::json::parse(read_file(folder_.file("p.json")))[0]["time_ms"].get<double>() / 1e3;
  }

  ResultFolder folder_;
  std::mt19937 random_{41};
};

TEST_F(Agreement, of_plans_and_predictions_is_exact) {
  constexpr int configurations = 300;
  int gpus_most = 0, gpus_least = 1 << 30;
  std::map<replay::Framework::Kind, int> in_groups;
  for (int i = 0; i < configurations; ++i) {
    const auto scenario = random_scenario();
    const auto rows = make_plan(scenario);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_TRUE(rows[0].is_simulated);
    const auto& row = rows[0];
    EXPECT_NEAR(row.step_s / predicted_s(scenario, row), 1, 1e-6)
        << scenario.models[0].name << ", " << scenario.framework.text() << ", stage " << row.stage << ", " << row.ranks
        << " GPUs, " << row.accumulation << " micro-steps";
    in_groups[row.framework] += row.shard_group > 0 ? 1 : 0;
    gpus_most = std::max(gpus_most, static_cast<int>(row.ranks));
    gpus_least = std::min(gpus_least, static_cast<int>(row.ranks));
  }
  EXPECT_EQ(gpus_most, 16384);
  EXPECT_LE(gpus_least, 8);
  for (const auto kind : {Kind::deepspeed, Kind::pytorch_fsdp, Kind::pytorch_fsdp2}) EXPECT_GE(in_groups[kind], 5);
}

// Many micro-batches are continued from those before.
TEST_F(Agreement, of_splits_and_predictions_is_within_a_percent) {
  constexpr int scenarios = 20;
  int compared = 0, in_stages = 0;
  for (int i = 0; i < scenarios; ++i) {
    const auto scenario = random_splits();
    const auto rows = make_plan(scenario);
    const auto places = places_of(rows);
    for (const auto at : places[0].rows) {
      const auto& row = rows[at];
      EXPECT_NEAR(row.step_s / predicted_s(scenario, row), 1, 0.01) << configuration_words(row);
      ++compared;
      in_stages += row.parallelism.pipeline > 1 && row.parallelism.chunks > 1 ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 2 * scenarios);
  EXPECT_GE(in_stages, 10);
}

}  // namespace
}  // namespace ringmark::analysis
