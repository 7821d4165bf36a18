#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/fit/fit.hpp"

namespace ringmark::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Fit fit_of_one_line() {
  FitSegment segment;
  segment.alpha_us = 12;
  segment.alpha_us_ci = Interval{8, 16};
  segment.beta_us_per_byte = 1e-4;
  segment.beta_us_per_byte_ci = Interval{0.8e-4, 2e-4};
  segment.from_message_bytes = 4096;
  segment.to_message_bytes = 1 << 20;
  segment.points = 7;
  segment.residual_percent = 3.25;
  FitModel model;
  model.transport = "tcp";
  model.collective = "all_reduce";
  model.algorithm = "ring";
  model.ranks = {2, 4};
  model.segments = {segment};
  model.by_size = HeldOut{.median_percent = 1.5, .worst_percent = 9.5};
  Fit fit;
  fit.models = {model};
  return fit;
}

TEST(FitText, has_the_parameters_with_their_intervals) {
  const auto text = print(fit_of_one_line());
  EXPECT_THAT(text, AllOf(HasSubstr("12.0 (8.00 to 16.0)"), HasSubstr("10.0 (5.00 to 12.5)")));
  EXPECT_THAT(text, AllOf(HasSubstr("2,4"), HasSubstr("4K to 1M"), HasSubstr("3.2 %"), HasSubstr("1.5 % (worst 9.5)")));
}

TEST(FitText, leaves_out_what_was_not_found) {
  auto fit = fit_of_one_line();
  auto& segment = fit.models[0].segments[0];
  segment.alpha_us = 0;
  segment.beta_us_per_byte_ci = Interval{0, 2e-4};
  segment.points = 2;
  const auto text = print(fit);
  EXPECT_THAT(text, AllOf(HasSubstr("undetermined"), Not(HasSubstr("16.0"))));
  EXPECT_THAT(text, AllOf(HasSubstr("10.0"), Not(HasSubstr("5.00"))));
  EXPECT_THAT(text, Not(HasSubstr("3.2 %")));
}

}  // namespace
}  // namespace ringmark::analysis
