#include "results/statistics/slow_ends.hpp"

#include <random>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

/// Every link between `ends` takes 100 us and a little more; those of end 2 `ratio` times as long.
std::vector<LinkTime> links(std::size_t ends, double ratio, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 1);
  std::vector<LinkTime> all;
  for (std::size_t from = 0; from < ends; ++from) {
    for (std::size_t to = 0; to < ends; ++to) {
      if (from != to) all.push_back({from, to, (100 + noise(random)) * (from == 2 || to == 2 ? ratio : 1)});
    }
  }
  return all;
}

TEST(SlowEnds, one_at_85_percent_is_named_and_noise_is_not) {
  const SlowEndLimits limits{.level = 0.01, .least_ratio = 1.1};
  std::mt19937_64 random(1);
  for (const std::size_t ends : {4U, 8U}) {
    int named = 0;
    for (int i = 0; i < 200; ++i) {
      const auto slow = slow_ends(links(ends, 1 / 0.85, random), ends, limits);
      named += slow.size() == 1 && slow[0].end == 2 ? 1 : 0;
      EXPECT_TRUE(slow_ends(links(ends, 1, random), ends, limits).empty());
    }
    EXPECT_EQ(named, 200);
  }
}

TEST(SlowEnds, three_are_too_few) {
  std::mt19937_64 random(1);
  EXPECT_TRUE(slow_ends(links(3, 5, random), 3, {.level = 0.01, .least_ratio = 1.1}).empty());
}

}  // namespace
}  // namespace ringmark
