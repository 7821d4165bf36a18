#include "analysis/fit/line_fit.hpp"

#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

/// Two steps of 10 us and 0.01 us a byte, each time off by about one percent.
std::vector<Point> six_points(double bytes_scale = 1) {
  std::vector<Point> points;
  for (const auto& [bytes, time_us] :
       {std::pair{1e3, 30.3}, {4e3, 59.4}, {16e3, 180.9}, {64e3, 656.7}, {256e3, 2605.8}, {1024e3, 10157.4}})
    points.push_back({2, bytes * bytes_scale, time_us});
  return points;
}

/// The intervals are those of weighted least squares in SciPy, with Student's t for four degrees of freedom.
TEST(LineFit, has_the_parameters_and_intervals_of_least_relative_squares) {
  const auto line = fit_line(six_points());
  EXPECT_NEAR(line.alpha_us, 10.0868795, 1e-6);
  EXPECT_NEAR(line.beta_us_per_byte, 9.97768866e-3, 1e-10);
  ASSERT_TRUE(line.alpha_ci && line.beta_ci);
  EXPECT_NEAR(line.alpha_ci->high - line.alpha_us, 0.403870134, 1e-6);
  EXPECT_NEAR(line.alpha_us - line.alpha_ci->low, 0.403870134, 1e-6);
  EXPECT_NEAR(line.beta_ci->high - line.beta_us_per_byte, 1.46452667e-4, 1e-9);
  EXPECT_NEAR(line.beta_us_per_byte - line.beta_ci->low, 1.46452667e-4, 1e-9);
}

TEST(LineFit, follows_the_unit_of_bytes) {
  const auto line = fit_line(six_points()), of_kilobytes = fit_line(six_points(1e-3));
  EXPECT_NEAR(of_kilobytes.alpha_ci->low, line.alpha_ci->low, 1e-6);
  EXPECT_NEAR(of_kilobytes.beta_ci->low, 1e3 * line.beta_ci->low, 1e-6);
  EXPECT_NEAR(of_kilobytes.beta_ci->high, 1e3 * line.beta_ci->high, 1e-6);
}

TEST(LineFit, counts_an_outlier_for_less_and_widens_the_interval) {
  auto points = six_points();
  points[2].time_us *= 2;
  const auto line = fit_line(points), clean = fit_line(six_points());
  EXPECT_NEAR(line.beta_us_per_byte, clean.beta_us_per_byte, 0.03 * clean.beta_us_per_byte);
  EXPECT_GT(line.beta_ci->high - line.beta_ci->low, clean.beta_ci->high - clean.beta_ci->low);
}

TEST(LineFit, of_two_points_has_no_interval_and_of_one_size_no_alpha) {
  const auto two = fit_line({{2, 1000, 30}, {2, 2000, 40}});
  EXPECT_NEAR(two.alpha_us, 10, 1e-9);
  EXPECT_NEAR(two.beta_us_per_byte, 0.01, 1e-12);
  EXPECT_FALSE(two.alpha_ci);
  const auto one_size = fit_line({{2, 1000, 30}, {2, 1000, 31}, {2, 1000, 29}});
  EXPECT_EQ(one_size.alpha_us, 0);
  EXPECT_NEAR(one_size.beta_us_per_byte, 0.03, 1e-4);
  EXPECT_FALSE(one_size.beta_ci);
}

TEST(LineFit, of_times_that_fall_with_the_size_is_latency_alone) {
  const auto line = fit_line({{2, 1000, 30.3}, {2, 2000, 30}, {2, 4000, 29.7}, {2, 8000, 29.4}});
  EXPECT_EQ(line.beta_us_per_byte, 0);
  EXPECT_NEAR(line.alpha_us, 14.9, 0.1) << "two steps in about 29.8 us";
}

}  // namespace
}  // namespace ringmark::analysis
