#include "replay/step/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(IntervalOf, a_calibrated_device_is_its_own) {
  auto device = load_device("a100");
  device.interval_low = 0.97;
  device.interval_high = 1.02;
  EXPECT_EQ(interval_of(mpt, device).low, 0.97);
  EXPECT_EQ(interval_of(mpt, device).high, 1.02);
  EXPECT_THAT(describe_interval(mpt, device), HasSubstr("calibrated"));
  EXPECT_THAT(describe_interval(mpt, load_device("h100")), HasSubstr("h100"));
}

}  // namespace
}  // namespace ringmark::replay
