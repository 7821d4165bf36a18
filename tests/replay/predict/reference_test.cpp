// Predictions against published figures: calibrated on some rows, judged on the others.

#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/compute_model.hpp"
#include "results/files/csv.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

std::vector<std::vector<double>> reference(const char* name) {
  std::ifstream in(std::string(RINGMARK_SOURCE_DIR "/results/reference/") + name);
  std::stringstream text;
  text << in.rdbuf();
  const auto table = parse_csv(text.str());
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 1; i < table.size(); ++i) {
    auto& row = rows.emplace_back();
    for (const auto& cell : table[i]) row.push_back(cell.empty() ? 0 : std::stod(cell));
  }
  return rows;
}

/// The talk's first model on two nodes of eight A100; the all_gather of its weights gives the network's rate.
StepTimes step_times(int stage, int micro_batch, int micro_steps, double efficiency, bool scatters = false) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.ranks = 16;
  settings.micro_batch = static_cast<std::uint64_t>(micro_batch);
  settings.micro_steps = micro_steps;
  settings.scatter_gradients = scatters;
  const auto trace = generate(load_model("llama-440m"), settings);
  ComputeModel model{load_device("a100"), {}, {}, {}, 1};
  model.device.efficiency = efficiency;
  const auto network = make_network(Links{{10, 183}, Link{3, 250}, 8});
  return times_of(trace, simulate(trace, {16, durations_us(trace, model)}, *network).timeline);
}

double backward_ms(int micro_batch, double efficiency) {
  return step_times(1, micro_batch, 2, efficiency).micro_steps[0].computation_us / 1000 * 2 / 3;
}

TEST(Published, backward_time_of_a_batch_that_was_not_calibrated_on) {
  const auto rows = reference("zero1_averages.csv");
  const double small = rows[0][2], held_out = rows[1][2], large = rows[2][2];
  // Two unknowns from two rows: the device's efficiency, and what a micro-step costs besides.
  constexpr double guess = 0.4;
  const double by_guess = backward_ms(16, guess) - backward_ms(4, guess);
  const double efficiency = guess * by_guess / (large - small);
  EXPECT_GT(efficiency, 0.35);
  EXPECT_LT(efficiency, 0.5);
  const double besides = small - backward_ms(4, efficiency);
  EXPECT_NEAR(besides + backward_ms(8, efficiency), held_out, 1);
}

TEST(Published, gather_of_the_weights_at_the_anchors_rate) {
  const auto rows = reference("zero1_averages.csv");
  const double gather_ms = step_times(1, 4, 2, 0.42).phases[3].exposed_us / 1000;
  for (const auto& row : rows) EXPECT_NEAR(gather_ms, row[4], 0.1 * row[4]);
}

TEST(Published, stage1_communicates_at_the_boundary_alone_and_stage2_always) {
  const auto first = step_times(1, 8, 8, 0.42), second = step_times(2, 16, 4, 0.42);
  for (std::size_t m = 0; m + 1 < first.micro_steps.size(); ++m) EXPECT_EQ(first.micro_steps[m].exposed_us, 0);
  EXPECT_GT(first.micro_steps.back().exposed_us, 9'000);
  for (const auto& micro_step : second.micro_steps) EXPECT_GT(micro_step.exposed_us, 9'000);
}

/// Stage 2 communicates in each micro-step; at 32 of them that costs more than stage 1's boundary. At 4 the talk has
/// stage 2 ahead, which no calls of these stages explain: docs/evidence/predictions.md has it among the misses.
TEST(Published, stage1_is_ahead_where_much_is_accumulated) {
  const auto rows = reference("zero_batch_time.csv");
  ASSERT_LT(rows[0][2], rows[0][3]);
  const double published = rows[0][3] / rows[0][2] - 1;
  const double predicted = step_times(2, 2, 32, 0.42).total_us / step_times(1, 2, 32, 0.42).total_us - 1;
  EXPECT_NEAR(predicted, published, 0.06);
}

TEST(Published, micro_steps_add_up_as_told) {
  std::ifstream in(RINGMARK_SOURCE_DIR "/results/reference/zero_micro_steps.csv");
  std::stringstream text;
  text << in.rdbuf();
  std::map<std::string, double> ms;
  const auto table = parse_csv(text.str());
  for (std::size_t i = 1; i < table.size(); ++i) ms[table[i][0] + table[i][3]] = std::stod(table[i][4]);
  EXPECT_NEAR(ms.at("1last_computation") + ms.at("1last_communication"), ms.at("1last_total"), 0.1);
  const double boundary = ms.at("1last_communication") / 8;
  EXPECT_NEAR(boundary, 6.78, 0.01) << "what zero1_averages.csv prints as 16.78";
  EXPECT_GT(ms.at("2fifth_total") - ms.at("2fifth_computation") - ms.at("2fifth_communication"), 10) << "a misprint";
}

TEST(Published, times_of_stage2_are_a_line_of_the_batch) {
  const auto rows = reference("zero_batch_time.csv");
  const auto of = [](int micro_batch) { return step_times(2, micro_batch, 4, 0.42).total_us; };
  const double slope = (of(16) - of(2)) / 14;
  EXPECT_NEAR(of(4), of(2) + 2 * slope, 2'000);
  EXPECT_NEAR(of(8), of(2) + 6 * slope, 2'000);
  // As the published ones are.
  const double published = (rows[3][3] - rows[0][3]) / 14;
  EXPECT_NEAR(rows[1][3], rows[0][3] + 2 * published, 0.004);
  EXPECT_NEAR(rows[2][3], rows[0][3] + 6 * published, 0.004);
}

TEST(Published, scattering_gradients_gains) {
  for (const int stage : {1, 2})
    EXPECT_LT(step_times(stage, 4, 4, 0.42, true).total_us, step_times(stage, 4, 4, 0.42).total_us);
}

/// The talk's second model, trained beside its teacher; 64 ranks are what its batches and edges of memory allow.
struct SecondModel {
  static constexpr int ranks = 64;
  Model model = load_model("llama-8b");

  StepSettings settings(int stage, int batch, int micro_steps) const {
    StepSettings settings;
    settings.zero_stage = stage;
    settings.ranks = ranks;
    settings.micro_batch = static_cast<std::uint64_t>(batch / ranks);
    settings.micro_steps = micro_steps;
    settings.type = DataType::bfloat16;
    return settings;
  }

  double step_us(const StepSettings& settings, double bandwidth_GBps) const {
    const auto trace = generate(model, settings);
    const ComputeModel compute{load_device("a100"), {}, {}, {}, 1};
    const auto network = make_network(Links{{10, bandwidth_GBps}, {}, 1});
    return times_of(trace, simulate(trace, {ranks, durations_us(trace, compute)}, *network).timeline).total_us;
  }

  static double samples_per_s(const std::string& platform, const std::string& stage, const std::string& batch) {
    std::ifstream in(RINGMARK_SOURCE_DIR "/results/reference/step_throughput.csv");
    std::stringstream text;
    text << in.rdbuf();
    for (const auto& row : parse_csv(text.str())) {
      if (row[0] == platform && row[1] == stage && row[2] == batch) return row[4].empty() ? 0 : std::stod(row[4]);
    }
    ADD_FAILURE() << platform << " " << stage << " " << batch;
    return 0;
  }
};

/// Calibrated on what two micro-steps more cost ZeRO-2; held out is the step after the change.
TEST(Published, gain_of_scattering_gradients_on_infiniband) {
  const SecondModel second;
  constexpr double samples = 256;
  const double published_s = samples / second.samples_per_s("IB-A100", "2", "128");
  const double micro_step_s = (samples / second.samples_per_s("IB-A100", "2", "64") - published_s) / 2;
  const double bandwidth_GBps = 2 * 2 * static_cast<double>(second.model.elements()) / 1e9 / micro_step_s;
  auto changed = second.settings(2, 128, 2);
  changed.scatter_gradients = true;
  const double saved_s =
      (second.step_us(second.settings(2, 128, 2), bandwidth_GBps) - second.step_us(changed, bandwidth_GBps)) / 1e6;
  const double predicted_gain = published_s / (published_s - saved_s), published_gain = 90.71 / 76.489;
  EXPECT_NEAR(predicted_gain, published_gain, 0.06);
}

TEST(Published, order_of_the_second_models_configurations_within_a_stage) {
  const SecondModel second;
  constexpr double bandwidth_GBps = 83;
  const auto step_us = [&](int stage, int batch) {
    return second.step_us(second.settings(stage, batch, 256 / batch), bandwidth_GBps);
  };
  EXPECT_LT(step_us(2, 128), step_us(2, 64));
  EXPECT_LT(step_us(3, 256), step_us(3, 128));
  EXPECT_LT(step_us(3, 128), step_us(3, 64));
  EXPECT_LT(step_us(1, 64), step_us(2, 64));
  EXPECT_LT(step_us(1, 64), step_us(3, 64));
  for (const std::string platform : {"IB-A100", "RoCE-A100", "RoCE-H100"}) {
    const auto rate = [&](const char* stage, const char* batch) {
      return second.samples_per_s(platform, stage, batch);
    };
    EXPECT_GT(rate("2", "128"), rate("2", "64"));
    EXPECT_GT(rate("3", "256"), rate("3", "128"));
    EXPECT_GT(rate("3", "128"), rate("3", "64"));
    EXPECT_GT(rate("1", "64"), rate("2", "64"));
    EXPECT_GT(rate("1", "64"), rate("3", "64"));
  }
}

/// The prediction of which steps fit agrees with the publication if the teacher, of the same size and in 16 bits, lies
/// as the model does: whole beside stages 1 and 2, in parts beside stage 3. Missed is stage 1 at batch 128, which is
/// predicted to fit.
TEST(Published, edges_of_memory_of_the_second_model) {
  const SecondModel second;
  constexpr double GiB = 1024.0 * 1024 * 1024;
  for (const auto& [stage, batch] : {std::pair{1, 64}, {2, 64}, {2, 128}, {2, 256}, {3, 64}, {3, 128}, {3, 256}}) {
    const double teacher = 2 * static_cast<double>(second.model.elements()) / (stage == 3 ? second.ranks : 1);
    const auto settings = second.settings(stage, batch, 256 / batch);
    const bool fits = largest_batch(second.model, settings, 80 * GiB - teacher) >= settings.micro_batch;
    const bool ran = second.samples_per_s("IB-A100", std::to_string(stage), std::to_string(batch)) > 0;
    EXPECT_EQ(fits, ran) << "stage " << stage << ", batch " << batch;
  }
}

/// A batch of 512, 32 samples on a GPU, did not fit; 256 did.
TEST(Published, edge_of_memory_of_the_first_model_within_a_sample) {
  constexpr double GiB = 1024.0 * 1024 * 1024;
  for (const int stage : {1, 2}) {
    StepSettings settings;
    settings.zero_stage = stage;
    settings.ranks = 16;
    settings.type = DataType::bfloat16;
    const auto largest = largest_batch(load_model("llama-440m"), settings, 80 * GiB);
    EXPECT_GE(largest, 16U);
    EXPECT_LE(largest, 32U);
  }
}

/// The largest micro-batch hardly grows with the nodes, since ZeRO-3's states are small at any number of them.
TEST(Published, largest_batch_of_stage3_grows_by_a_few_samples) {
  const auto rows = reference("largest_batch.csv");
  StepSettings settings;
  settings.zero_stage = 3;
  settings.sequence = 512;
  std::vector<double> predicted;
  constexpr double GiB = 1024.0 * 1024 * 1024;
  for (const auto& row : rows) {
    settings.ranks = 8 * static_cast<int>(row[0]);
    predicted.push_back(static_cast<double>(largest_batch(load_model("opt-1.3b"), settings, 80 * GiB)));
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double published_growth = rows[i][2] / rows[0][2];
    EXPECT_NEAR(predicted[i] / predicted[0], published_growth, 0.08) << rows[i][0] << " nodes";
  }
}

}  // namespace
}  // namespace ringmark::replay
