// Predictions against steps that others published with tensor, pipeline, context and expert parallelism
// (tests/replay/files/parallel_published_steps.csv: MLPerf Training, NVIDIA's performance summaries and DGX Cloud
// benchmarks, AWS, FlagPerf, and every eighth of vTrain's rows).

#include "replay/predict/parallel_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/predict/scorecard.hpp"

namespace ringmark::replay {
namespace {

const std::string table = RINGMARK_REPLAY_FILES "/parallel_published_steps.csv";

std::vector<ScoredStep> predicted_of(const std::vector<ScoredStep>& all, const std::string& id = "") {
  std::vector<ScoredStep> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const auto& each) { return each.refused.empty() && each.id.starts_with(id); });
  return some;
}

double mean_error(const std::vector<ScoredStep>& steps) {
  double sum = 0;
  for (const auto& step : steps) sum += std::abs(step.error());
  return sum / static_cast<double>(steps.size());
}

void expect_dense_models_on_h100_within_a_few_percent(const std::vector<ScoredStep>& all) {
  std::vector<ScoredStep> some;
  for (const char* model : {"dgxc-741c-llama31_405b-bf16", "dgxc-741c-llama3_70b-bf16"}) {
    const auto of_model = predicted_of(all, model);
    some.insert(some.end(), of_model.begin(), of_model.end());
  }
  fmt::print("{} steps of Llama 3.1 in bfloat16, mean error {:.1f} %\n", some.size(), 100 * mean_error(some));
  ASSERT_GE(some.size(), 5U);
  EXPECT_LT(mean_error(some), 0.05);
}

void expect_memory_near_published_peaks(const std::vector<ScoredStep>& all) {
  const std::map<std::string, double> peaks_GiB{{"mlperf-v5.1-llama31_8b-hpf_n16", 35.707},
                                                {"mlperf-v5.1-llama31_8b-hpf_n8", 71.229}};
  std::size_t found = 0;
  for (const auto& step : all) {
    const auto peak = peaks_GiB.find(step.id);
    if (peak == peaks_GiB.end()) continue;
    EXPECT_NEAR(step.memory_GiB.value_or(0) / peak->second, 1, 0.1) << step.id;
    ++found;
  }
  EXPECT_EQ(found, peaks_GiB.size());
}

TEST(ParallelSteps, published_ones_are_predicted) {
  const auto all = score(read_published_steps(table), {});
  fmt::print("{}", print(all));
  const auto some = predicted_of(all);
  const auto total = score_of("all", some);
  EXPECT_GE(some.size(), 240U);
  EXPECT_LT(total.median_error, 0.08);
  EXPECT_LT(mean_error(some), 0.11);
  EXPECT_GE(static_cast<double>(total.covered), 0.85 * static_cast<double>(total.steps));
  EXPECT_LE(total.called_out_of_memory, 2U) << "all of them ran, two with recomputation that the table lacks";
  expect_dense_models_on_h100_within_a_few_percent(all);
  expect_memory_near_published_peaks(all);
}

const CsvRow header{"id",           "gpu",        "gpus",     "model_type", "hidden",     "layers", "heads",
                    "ffn",          "vocabulary", "sequence", "precision",  "tp",         "pp",     "micro_batch",
                    "global_batch", "sharding",   "software", "intra_GBps", "inter_GBps", "step_s", "recompute"};
const CsvRow row{"a",
                 "h100_80gb",
                 "16",
                 "llama",
                 "1024",
                 "8",
                 "16",
                 "4096",
                 "32000",
                 "2048",
                 "bf16",
                 "2",
                 "2",
                 "1",
                 "16",
                 "distributed_optimizer",
                 "NeMo (Megatron Core)",
                 "450",
                 "400",
                 "0.5",
                 "none"};

PublishedStep read_row(const std::string& column, const std::string& cell) {
  auto changed = row;
  changed[static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin())] = cell;
  return read_parallel_steps("steps.csv", {header, changed}).front();
}

TEST(ParallelSteps, a_row_is_read) {
  ASSERT_TRUE(has_parallel_steps(header));
  const auto step = read_row("tp", "2");
  EXPECT_EQ(step.refused, "");
  const auto& settings = std::get<megatron::Settings>(step.step);
  EXPECT_EQ(settings.data_parallel(), 4);
  EXPECT_EQ(settings.micro_batches(), 4);
  EXPECT_EQ(step.software, Software::Kind::megatron_core);
  EXPECT_EQ(step.device, "h100");
  EXPECT_EQ(step.links.ranks_per_node, 8);
}

TEST(ParallelSteps, a_row_of_torchtitan_has_its_own_step) {
  auto changed = row;
  const auto at = [&](const std::string& column) -> std::string& {
    return changed[static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin())];
  };
  at("software") = "torchtitan, torch.compile";
  at("sharding") = "fsdp";
  const auto step = read_parallel_steps("steps.csv", {header, changed}).front();
  EXPECT_EQ(step.refused, "");
  EXPECT_EQ(step.software, Software::Kind::compiled);
  const auto& settings = std::get<torchtitan::Settings>(step.step);
  EXPECT_EQ(settings.sizes.shards, 4);
  EXPECT_EQ(settings.micro_batches(), 4);
  at("sharding") = "distributed_optimizer";
  EXPECT_NE(read_parallel_steps("steps.csv", {header, changed}).front().refused, "");
}

TEST(ParallelSteps, a_row_that_cannot_be_predicted_has_the_reason) {
  EXPECT_NE(read_row("gpu", "x9_80gb").refused.find("x9_80gb"), std::string::npos);
  EXPECT_NE(read_row("software", "MaxText").refused.find("MaxText"), std::string::npos);
  EXPECT_NE(read_row("precision", "fp4").refused.find("fp4"), std::string::npos);
  EXPECT_NE(read_row("sharding", "fsdp").refused.find("fsdp"), std::string::npos);
  EXPECT_NE(read_row("tp", "3").refused.find("16 ranks"), std::string::npos);
  EXPECT_NE(read_row("inter_GBps", "").refused.find("inter_GBps"), std::string::npos);
}

TEST(ParallelSteps, a_cell_that_cannot_be_read_is_refused_with_its_line) {
  EXPECT_THROW(read_row("step_s", "fast"), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
