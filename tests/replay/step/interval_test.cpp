#include "replay/step/interval.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/predict/scorecard.hpp"
#include "tests/replay/published_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

const StepFamily mpt{Software::Kind::fused_attention, "pytorch-fsdp-2.1.0", 0, ProductType::models};

TEST(IntervalOf, a_family_that_was_fitted_is_narrower_than_that_of_other_code) {
  const auto device = load_device("a100");
  const auto fitted = interval_of(mpt, device);
  EXPECT_TRUE(is_fitted(mpt, device));
  auto other = mpt;
  for (const auto change : {0, 1, 2, 3}) {
    other = mpt;
    if (change == 0) other.framework = "pytorch-fsdp2-2.6.0";
    if (change == 1) other.framework = "pytorch-fsdp-1.12.1";
    if (change == 2) other.software = Software::Kind::compiled;
    if (change == 3) other.products = ProductType::float8;
    EXPECT_FALSE(is_fitted(other, device)) << change;
    const auto wide = interval_of(other, device);
    EXPECT_LT(wide.low, fitted.low) << change;
    EXPECT_GT(wide.high, fitted.high) << change;
    EXPECT_GT(wide.high - 1, 1 - wide.low) << "other code is slower more often than faster";
  }
  EXPECT_FALSE(is_fitted(mpt, load_device("h200")));
  EXPECT_TRUE(is_fitted({Software::Kind::unfused, "deepspeed-0.16.4", 0, ProductType::models}, device));
  EXPECT_FALSE(is_fitted({Software::Kind::unfused, "deepspeed-0.16.4", 3, ProductType::models}, device));
}

TEST(IntervalOf, steps_that_are_compared_have_one_center_and_hold_their_own_steps) {
  const auto h100 = load_device("h100"), h200 = load_device("h200"), mi300x = load_device("mi300x");
  ComparedSteps same, some, all;
  same.add(mpt, h100);
  same.add(mpt, load_device("a100"));
  EXPECT_FALSE(same.share_center());
  EXPECT_EQ(interval_of(mpt, h100, same).low, interval_of(mpt, h100).low);
  some.add(mpt, h100);
  some.add(mpt, h200);
  all = some;
  all.add(mpt, mi300x);
  for (const auto& compared : {some, all}) {
    for (const auto* device : {&h100, &h200, &mi300x}) {
      const auto own = interval_of(mpt, *device), shared = interval_of(mpt, *device, compared);
      EXPECT_NEAR(median_of(shared), median_of(interval_of(mpt, h200)), 1e-9) << device->name;
      EXPECT_LE(shared.low, own.low + 1e-9);
      EXPECT_GE(shared.high, own.high - 1e-9);
    }
  }
  EXPECT_THAT(describe_interval(mpt, h100), HasSubstr("of this kind on h100"));
  EXPECT_THAT(describe_interval(mpt, h100, some), HasSubstr("nothing was fitted"));
}

TEST(IntervalOf, a_calibrated_device_keeps_its_own_center_in_a_comparison) {
  auto device = load_device("h100");
  device.interval_low = 0.97;
  device.interval_high = 1.02;
  ComparedSteps compared;
  compared.add(mpt, device);
  compared.add(mpt, load_device("h200"));
  EXPECT_FALSE(compared.share_center());
  EXPECT_EQ(interval_of(mpt, device, compared).low, 0.97);
}

/// Published over predicted time of steps to which nothing was fitted, by code base.
using Residuals = std::map<std::string, std::vector<double>>;

Residuals residuals_of_other_code() {
  Residuals residuals;
  for (const auto* table : {"other_published_steps.csv", "unseen_published_steps.csv"}) {
    for (const auto& step : score(read_table(table), {}))
      residuals[step.family.substr(0, step.family.find_first_of("/ "))].push_back(step.measured_s / step.predicted_s);
  }
  return residuals;
}

/// Each code base has the same weight.
double quantile(const Residuals& residuals, const std::string& left_out, double share) {
  std::vector<std::pair<double, double>> weighted;
  double sum = 0;
  for (const auto& [name, some] : residuals) {
    if (name == left_out) continue;
    for (const double each : some) weighted.emplace_back(each, 1.0 / static_cast<double>(some.size()));
    sum += 1;
  }
  std::sort(weighted.begin(), weighted.end());
  double below = 0;
  for (const auto& [factor, weight] : weighted) {
    below += weight;
    if (below >= share * sum) return factor;
  }
  return weighted.back().first;
}

TEST(IntervalOf, other_code_follows_from_code_that_is_in_no_fit) {
  constexpr double low = 0.05, high = 0.95;
  const auto residuals = residuals_of_other_code();
  std::size_t steps = 0, held = 0;
  for (const auto& [name, some] : residuals) {
    const Interval others{quantile(residuals, name, low), quantile(residuals, name, high)};
    std::size_t inside = 0;
    for (const double each : some) inside += others.low <= each && each <= others.high ? 1 : 0;
    fmt::print("{} left out: {:.2f} to {:.2f} hold {} of {}\n", name, others.low, others.high, inside, some.size());
    steps += some.size();
    held += inside;
  }
  const double share = static_cast<double>(held) / static_cast<double>(steps);
  fmt::print("{} code bases, {} steps: {:.0f} % held by the others' intervals\n", residuals.size(), steps, 100 * share);
  EXPECT_GE(residuals.size(), 15U);
  EXPECT_GT(share, 0.8);
  EXPECT_LT(share, 0.95);
  const auto shipped = interval_of({Software::Kind::compiled, "", 0, ProductType::models}, load_device("h100"));
  EXPECT_NEAR(shipped.low, quantile(residuals, "", low), 0.03);
  EXPECT_NEAR(shipped.high, quantile(residuals, "", high), 0.05);
}

TEST(IntervalOf, amds_devices_holds_all_steps_that_are_published_for_them) {
  Interval range{1, 1};
  std::size_t steps = 0;
  for (const auto* table : {"unseen_published_steps.csv", "amd_published_steps.csv"}) {
    for (const auto& step : score(read_table(table), {})) {
      if (step.family.find("/mi3") == std::string::npos) continue;
      fmt::print("{}: {:.3f}\n", step.id, step.measured_s / step.predicted_s);
      range.low = std::min(range.low, step.measured_s / step.predicted_s);
      range.high = std::max(range.high, step.measured_s / step.predicted_s);
      EXPECT_TRUE(step.is_covered()) << step.id;
      ++steps;
    }
  }
  EXPECT_EQ(steps, 6U);
  const StepFamily compiled{Software::Kind::compiled, "", 0, ProductType::models};
  for (const auto* name : {"mi300x", "mi325x", "mi355x"}) {
    const auto shipped = interval_of(compiled, load_device(name));
    EXPECT_NEAR(shipped.low, range.low, 0.02) << name;
    EXPECT_NEAR(shipped.high, range.high, 0.02) << name;
    EXPECT_THAT(describe_interval(compiled, load_device(name)), HasSubstr("AMD")) << name;
  }
}

TEST(IntervalOf, a_calibrated_device_is_its_own) {
  auto device = load_device("a100");
  device.interval_low = 0.97;
  device.interval_high = 1.02;
  EXPECT_EQ(interval_of(mpt, device).low, 0.97);
  EXPECT_EQ(interval_of(mpt, device).high, 1.02);
  EXPECT_THAT(describe_interval(mpt, device), HasSubstr("calibrated"));
  EXPECT_THAT(describe_interval(mpt, load_device("h100")), HasSubstr("h100"));
}

TEST(IntervalOf, steps_with_roles_on_devices_of_two_vendors_have_one_center) {
  const StepFamily dense{.software = Software::Kind::megatron_core, .roles = StepFamily::Roles::dense};
  const auto h100 = load_device("h100"), b200 = load_device("b200"), mi300x = load_device("mi300x");
  ComparedSteps alike;
  alike.add(dense, h100);
  alike.add(dense, b200);
  EXPECT_EQ(interval_of(dense, h100, alike).low, interval_of(dense, h100).low) << "both keep that of their kind";
  auto both = alike;
  both.add(dense, mi300x);
  EXPECT_NE(median_of(interval_of(dense, h100)), median_of(interval_of(dense, mi300x)));
  EXPECT_NEAR(median_of(interval_of(dense, h100, both)), median_of(interval_of(dense, mi300x, both)), 1e-9);
}

}  // namespace
}  // namespace ringmark::replay
