// Predictions against steps that others published (tests/replay/files/published_steps.csv).

#include "replay/predict/scorecard.hpp"

#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/predict/calibrate.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

std::vector<PublishedStep> published() { return read_published_steps(RINGMARK_REPLAY_FILES "/published_steps.csv"); }

std::vector<PublishedStep> of(const std::vector<PublishedStep>& steps, const std::string& family) {
  std::vector<PublishedStep> result;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(result),
               [&](const PublishedStep& step) { return step.family == family; });
  return result;
}

TEST(Scorecard, published_steps_are_predicted_with_the_shipped_constants) {
  const auto scored = score(published(), {});
  fmt::print("{}", print(scored));
  const auto scores = scores_of(scored);
  const auto& all = scores.back();
  EXPECT_EQ(all.family, "all");
  EXPECT_LT(all.median_error, 0.08);
  EXPECT_LT(all.p90_error, 0.20);
  EXPECT_EQ(all.called_out_of_memory, 0U) << "all of them ran";
  EXPECT_GE(static_cast<double>(all.covered), 0.85 * static_cast<double>(all.steps));
}

/// Every fifth row of the table, of May 2023, when setup.py asked for PyTorch 1.13.1. No constant was fitted to them.
TEST(Scorecard, holds_for_a_family_that_was_in_no_fit) {
  const auto held_out = score_of("", score(of(published(), "MPT/a100_40gb"), {}));
  fmt::print("held out: {} steps, median error {:.1f} %, worst {:.1f} %\n", held_out.steps, 100 * held_out.median_error,
             100 * held_out.worst_error);
  EXPECT_GE(held_out.steps, 15U);
  EXPECT_LT(held_out.median_error, 0.05);
  EXPECT_EQ(held_out.called_out_of_memory, 0U);
}

/// Steps of code bases that nothing was fitted to, labelled from their sources' descriptions before they were
/// predicted. The bounds are what came out.
Score score_of_table(const std::string& file) {
  const auto scored = score(read_published_steps(RINGMARK_REPLAY_FILES "/" + file), {});
  fmt::print("{}", print(scored));
  return score_of("all", scored);
}

TEST(Scorecard, holds_within_a_fifth_for_code_bases_that_nothing_was_fitted_to) {
  const auto all = score_of_table("other_published_steps.csv");
  EXPECT_EQ(all.steps, 44U);
  EXPECT_LT(all.median_error, 0.08);
  EXPECT_LT(all.p90_error, 0.20);
  EXPECT_GE(all.covered, 38U);
  EXPECT_EQ(all.called_out_of_memory, 0U) << "all of them ran";
}

/// 103 steps of 15 further sources, which were scored before the model was changed: then with a median error of 16 %,
/// and 52 in their intervals.
TEST(Scorecard, holds_within_two_fifths_for_further_sources) {
  const auto all = score_of_table("unseen_published_steps.csv");
  EXPECT_EQ(all.steps, 103U);
  EXPECT_LT(all.median_error, 0.14);
  EXPECT_LT(all.p90_error, 0.36);
  EXPECT_GE(all.covered, 85U);
  EXPECT_EQ(all.called_out_of_memory, 0U) << "all of them ran";
}

/// Rates of these kernels in the literature. "FlashAttention-2" (Dao, 2023) gives its predecessor 25 to 40 % of an
/// A100's peak, and itself 50 to 73 %, and 335 TFLOP/s on an H100.
Device from_the_literature(const std::string& name) {
  auto device = load_device(name);
  const bool is_hopper = name.starts_with("h100");
  device.product_efficiency = is_hopper ? 0.68 : 0.82;
  device.tuned_attention_efficiency = is_hopper ? 335.0 / 989 : 0.6;
  device.vendor_attention_efficiency = device.tuned_attention_efficiency;
  device.attention_efficiency = device.tuned_attention_efficiency * 0.325 / 0.6;
  device.launch_us.reset();
  return device;
}

/// Each family by the constants that the other families of its device give, from those of the literature on.
TEST(Scorecard, a_family_is_predicted_when_it_is_left_out_of_the_fit) {
  const auto steps = published();
  const std::map<std::string, double> bounds{{"MPT/a100_80gb", 0.05},
                                             {"MPT/h100_80gb", 0.05},
                                             {"vTrain/a100", 0.1},
                                             {"fms-fsdp/a100", 0.08},
                                             {"fms-fsdp/h100", 0.08}};
  for (const auto& [family, bound] : bounds) {
    const auto left_out = of(steps, family);
    ASSERT_FALSE(left_out.empty()) << family;
    // Software differs between families: each kind gives its own constants, and their mean is taken.
    std::map<std::optional<Software::Kind>, std::vector<PublishedStep>> others;
    for (const auto& step : steps) {
      if (step.family != family && step.device == left_out.front().device)
        others[step.settings.software].push_back(step);
    }
    const auto base = from_the_literature(left_out.front().device);
    auto device = base;
    double products = 0, attention = 0;
    for (const auto& [kind, some] : others) {
      const auto fitted = calibrate(some, base).device;
      products += std::log(fitted.product_efficiency) / static_cast<double>(others.size());
      attention += std::log(fitted.attention_efficiency) / static_cast<double>(others.size());
    }
    device.product_efficiency = std::exp(products);
    const double faster = std::exp(attention) / base.attention_efficiency;
    device.attention_efficiency *= faster;
    device.tuned_attention_efficiency *= faster;
    device.vendor_attention_efficiency *= faster;
    const auto result = score_of(family, score(left_out, device));
    fmt::print("{} left out: {} steps, median error {:.1f} %, worst {:.1f} %\n", family, result.steps,
               100 * result.median_error, 100 * result.worst_error);
    EXPECT_LT(result.median_error, bound) << family;
  }
}

TEST(Calibration, of_one_step_makes_the_others_of_its_family_nearer) {
  const auto steps = of(published(), "fms-fsdp/a100");
  auto base = load_device("a100");
  base.product_efficiency *= 0.85;
  const auto before = score_of("", score(steps, base));
  const auto calibration = calibrate({steps.front()}, base);
  EXPECT_TRUE(calibration.held_out.empty());
  EXPECT_TRUE(calibration.constants.at(0).is_determined());
  EXPECT_FALSE(calibration.constants.at(3).is_determined()) << "the host is never late in this step";
  const auto after = score_of("", score({steps.begin() + 1, steps.end()}, calibration.device));
  EXPECT_LT(after.median_error, before.median_error);
  EXPECT_LT(after.median_error, 0.06);
}

/// One step tells how good the software is: what all of its computation has in common.
TEST(Calibration, of_one_step_halves_the_error_of_code_that_nothing_was_fitted_to) {
  std::vector<PublishedStep> steps;
  for (const auto& step : read_published_steps(RINGMARK_REPLAY_FILES "/unseen_published_steps.csv")) {
    if (step.family == "MosaicGPT 2022/a100_40gb") steps.push_back(step);
  }
  ASSERT_GE(steps.size(), 5U);
  const auto before = score_of("", score(steps, {}));
  const auto calibration = calibrate({steps.front()}, load_device(steps.front().device));
  const auto after = score_of("", score({steps.begin() + 1, steps.end()}, calibration.device));
  fmt::print("median error {:.1f} %, after one step {:.1f} %\n", 100 * before.median_error, 100 * after.median_error);
  EXPECT_LT(after.median_error, before.median_error / 2);
}

/// A step of a family to which the shipped constants were fitted changes little: its own scatter says no more.
TEST(Calibration, of_one_step_keeps_to_the_constants_of_a_fitted_family) {
  const auto steps = of(published(), "vTrain/a100");
  const auto base = load_device("a100");
  const double before = score_of("", score(steps, base)).median_error;
  for (std::size_t i = 0; i < steps.size(); i += 3) {
    const auto calibrated = calibrate({steps[i]}, base).device;
    auto others = steps;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NEAR(score_of("", score(others, calibrated)).median_error, before, 0.015) << steps[i].id;
  }
}

/// Steps that a device made are found to be that device's.
TEST(Calibration, finds_the_constants_that_made_the_steps) {
  auto steps = of(published(), "vTrain/a100");
  auto truth = load_device("a100");
  truth.product_efficiency *= 0.9;
  truth.launch_us = 120;
  const auto scored = score(steps, truth);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].step_s = scored[i].predicted_s;
  const auto calibration = calibrate(steps, load_device("a100"));
  EXPECT_NEAR(calibration.device.product_efficiency, truth.product_efficiency, 0.04 * truth.product_efficiency);
  EXPECT_NEAR(calibration.device.launch_us.value(), 120, 0.02 * 120);
  ASSERT_EQ(calibration.held_out.size(), steps.size());
  for (const double ratio : calibration.held_out) EXPECT_NEAR(ratio, 1, 0.02);
  EXPECT_LT(calibration.device.interval_high.value(), 1.05);

  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("mine.yaml")) << device_file(calibration, "steps.csv");
  const auto read = load_device(folder.file("mine.yaml"));
  EXPECT_NEAR(read.product_efficiency, calibration.device.product_efficiency, 1e-5);
  EXPECT_NEAR(read.launch_us.value(), calibration.device.launch_us.value(), 1e-3);
  EXPECT_TRUE(read.knows_operators());
}

TEST(PublishedSteps, name_their_device_in_many_ways) {
  EXPECT_EQ(device_named("a100_80gb", 80), "a100");
  EXPECT_EQ(device_named("a100", 40), "a100-40");
  EXPECT_EQ(device_named("A100_40GB", 0), "a100-40");
  EXPECT_EQ(device_named("h100_80gb", 80), "h100");
  EXPECT_EQ(device_named("gb200", 0), "gb200");
  EXPECT_EQ(device_named("tpu-v5", 0), "");
}

TEST(PublishedSteps, refuse_a_bad_cell_with_its_line) {
  const testing_support::ResultFolder folder;
  const auto why = [&](const std::string& text) -> std::string {
    std::ofstream(folder.file("t.csv")) << text;
    try {
      read_published_steps(folder.file("t.csv"));
      return "read";
    } catch (const BadUsage& error) {
      return error.what();
    }
  };
  const std::string header =
      "id,gpu,model_type,hidden,layers,heads,ffn,vocabulary,framework,gpus,sequence,micro_batch,intra_GBps,inter_GBps,"
      "published_step_s\n";
  EXPECT_EQ(why(header + "a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1.5\n"), "read");
  EXPECT_THAT(why(header + "a,a100,gpt2,many,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1.5\n"),
              AllOf(HasSubstr("t.csv:2: "), HasSubstr("hidden"), HasSubstr("many")));
  EXPECT_THAT(why("recompute,power_watts," + header +
                  "1/2,300,a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n"),
              "read");
  EXPECT_THAT(why("recompute," + header + "some,a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n"),
              AllOf(HasSubstr("recompute"), HasSubstr("some")));
  EXPECT_THAT(why("id,gpu\na,a100\n"), HasSubstr("published_step_s"));
  EXPECT_THAT(why(header), HasSubstr("no steps"));
}

}  // namespace
}  // namespace ringmark::replay
