#include "bench/mix/slowdown.hpp"

#include <random>

#include <gtest/gtest.h>

namespace ringmark::mix {
namespace {

std::vector<RoundTimes> rounds_of(int rounds, int operations, double factor, double tail_factor = 1) {
  std::mt19937_64 random(3);
  std::vector<RoundTimes> all;
  for (int round = 0; round < rounds; ++round) {
    auto& times = all.emplace_back();
    for (int i = 0; i < operations; ++i) {
      const double us = 100 + static_cast<double>(random() % 100) / 10;
      times.alone_us.push_back(us);
      times.together_us.push_back(us * factor * (i % 50 == 0 ? tail_factor : 1));
    }
  }
  return all;
}

TEST(Slowdown, is_the_ratio_of_medians_with_an_interval) {
  const auto slowdown = slowdown_of(rounds_of(10, 200, 2));
  EXPECT_NEAR(slowdown.median->value, 2, 0.01);
  EXPECT_LE(slowdown.median->interval->low, 2.001);
  EXPECT_GE(slowdown.median->interval->high, 1.999);
  EXPECT_NEAR(slowdown.p99->value, 2, 0.05);
}

TEST(Slowdown, of_the_tail_is_told_apart_from_the_medians) {
  const auto slowdown = slowdown_of(rounds_of(10, 200, 1, 5));
  EXPECT_NEAR(slowdown.median->value, 1, 0.01);
  EXPECT_GT(slowdown.p99->interval->low, 4);
}

TEST(Slowdown, of_the_tail_is_that_of_all_rounds_together) {
  auto rounds = rounds_of(4, 90, 1.5, 3);
  rounds[1].alone_us.resize(10);
  rounds[3].together_us.resize(35);
  std::vector<double> alone, together;
  for (const auto& round : rounds) {
    alone.insert(alone.end(), round.alone_us.begin(), round.alone_us.end());
    together.insert(together.end(), round.together_us.begin(), round.together_us.end());
  }
  EXPECT_DOUBLE_EQ(slowdown_of(rounds).p99->value, *Sorted(together).tail(0.99) / *Sorted(alone).tail(0.99));
}

TEST(Slowdown, says_nothing_that_the_rounds_do_not) {
  EXPECT_FALSE(slowdown_of({}).median);
  EXPECT_FALSE(slowdown_of({RoundTimes{{1, 2}, {}}}).median);
  const auto few = slowdown_of(rounds_of(3, 10, 2));
  EXPECT_TRUE(few.median);
  EXPECT_FALSE(few.median->interval);
  EXPECT_FALSE(few.p99);
}

}  // namespace
}  // namespace ringmark::mix
