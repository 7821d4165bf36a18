#include "analysis/fit/launch_scatter.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

/// Times of a line with alpha 20 and beta 0.001, multiplied by each launch's factor and by a little noise within it.
Observations observed(const std::vector<double>& factors, int sizes = 8) {
  Observations all;
  std::uint64_t size = 1024;
  for (int i = 0; i < sizes; ++i, size *= 4) {
    Observation each{{2, static_cast<double>(size), 0}, size, 4, {}};
    double logs = 0;
    for (std::size_t launch = 0; launch < factors.size(); ++launch) {
      const double noise = 1 + 0.002 * ((static_cast<double>(i) * 7 + static_cast<double>(launch) * 3) / 5 -
                                        std::floor((static_cast<double>(i) * 7 + static_cast<double>(launch) * 3) / 5));
      const double time = (40 + 0.001 * static_cast<double>(size)) * factors[launch] * noise;
      each.launches.emplace_back(static_cast<std::uint32_t>(launch), time);
      logs += std::log(time);
    }
    each.point.time_us = std::exp(logs / static_cast<double>(factors.size()));
    all.push_back(each);
  }
  return all;
}

Line held(const Observations& some) {
  std::vector<Point> points;
  for (const auto& each : some) points.push_back(each.point);
  auto line = fit_line(points);
  hold_launches(some, line);
  return line;
}

double width(const Interval& interval) { return interval.high - interval.low; }

TEST(LaunchScatter, widens_intervals_to_what_launches_differ_by) {
  EXPECT_LT(width(*held(observed({1, 1, 1})).alpha_ci), 0.2);
  const auto line = held(observed({0.97, 1, 1.03}));
  EXPECT_GT(width(*line.alpha_ci), 2.5) << "plus and minus 4.3 standard errors of 1.7 %";
  EXPECT_LT(width(*line.alpha_ci), 4);
  EXPECT_GT(width(*line.beta_ci) / line.beta_us_per_byte, 0.12);
}

TEST(LaunchScatter, of_two_launches_counts_if_it_is_shown) {
  EXPECT_LT(width(*held(observed({1, 1})).alpha_ci), 0.2);
  EXPECT_GT(width(*held(observed({1, 1.03})).alpha_ci), 5) << "with one degree of freedom";
}

TEST(LaunchScatter, is_not_known_of_one_launch_or_where_a_launch_is_all_that_there_is) {
  const auto one = observed({1.03});
  EXPECT_LT(width(*held(one).alpha_ci), 0.2);
  auto apart = observed({1, 1, 1}, 3);
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i].launches = {apart[i].launches[i]};
  apart.resize(2);
  EXPECT_FALSE(held(apart).alpha_ci) << "two points leave no residual";
}

TEST(LaunchScatter, tells_launches_of_different_ranks_apart_though_a_person_gave_them_one_run_id) {
  Observations all;
  for (const int ranks : {2, 4, 8}) {
    for (auto each : observed({0.97, 1, 1.03})) {
      each.ranks = ranks;
      all.push_back(each);
    }
  }
  EXPECT_GT(width(*held(all).alpha_ci), 0.5);
  for (auto& each : all) each.launches.resize(1);
  EXPECT_GE(width(*held(all).alpha_ci), 0) << "three launches, each of other ranks";
}

}  // namespace
}  // namespace ringmark::analysis
