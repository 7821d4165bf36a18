#include "replay/predict/calibrate.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/step/interval.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/published_fixture.hpp"

namespace ringmark::replay {
namespace {

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

TEST(Calibration, leaves_launches_and_the_interval_to_other_software) {
  const auto steps = of(published(), "fms-fsdp/a100");
  const testing_support::ResultFolder folder;
  const auto calibration = calibrate({steps.front()}, load_device("a100"));
  std::ofstream(folder.file("d.yaml")) << device_file(calibration, "steps.csv");
  const auto device = load_device(folder.file("d.yaml"));
  EXPECT_FALSE(device.launch_us) << "the step did not determine it";
  ASSERT_EQ(device.calibrated_software, steps.front().software);
  StepFamily family{.software = *device.calibrated_software, .framework = {}, .zero_stage = 3, .products = {}};
  EXPECT_EQ(interval_of(family, device).low, device.interval_low);
  family.software = Software::Kind::transformers;
  ASSERT_NE(family.software, *device.calibrated_software);
  EXPECT_LT(interval_of(family, device).low, *device.interval_low);
  auto other = load_device("a100");
  other.calibrated_software = family.software;
  other.launch_us = 500;
  const auto from_other = calibrate({steps.front()}, other).device;
  EXPECT_DOUBLE_EQ(from_other.product_efficiency, calibration.device.product_efficiency);
  EXPECT_FALSE(from_other.launch_us) << "it is the other software's";
  ASSERT_EQ(calibration.steps.size(), 1U);
  EXPECT_NEAR(calibration.steps[0].predicted_s / steps.front().step_s, 1, 0.05);
}

TEST(Calibration, refuses_times_that_are_no_steps) {
  auto step = of(published(), "fms-fsdp/a100").front();
  const double right = step.step_s;
  for (const double factor : {0.1, 1000.0}) {
    step.step_s = factor * right;
    EXPECT_THROW(calibrate({step}, load_device("a100")), BadUsage) << factor;
  }
}

/// One step tells how good the software is: what all of its computation has in common.
TEST(Calibration, of_one_step_halves_the_error_of_code_that_nothing_was_fitted_to) {
  std::vector<PublishedStep> steps;
  for (const auto& step : read_table("unseen_published_steps.csv")) {
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
  EXPECT_EQ(read.power_watts, truth.power_watts);
}

}  // namespace
}  // namespace ringmark::replay
