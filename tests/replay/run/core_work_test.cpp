#include "replay/run/core_work.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

std::uint64_t turns_of(double turns_per_us, double us, int parts) {
  CoreWork core(turns_per_us);
  for (int part = 0; part < parts; ++part) core.work(us);
  return core.turns();
}

TEST(CoreWork, takes_as_many_turns_as_the_fastest_rank_has_in_the_time) {
  EXPECT_EQ(turns_of(4, 20, 1), 80U);
  EXPECT_EQ(turns_of(12, 20, 10), 2400U) << "a core at a third of that speed does the same, and takes longer";
  EXPECT_EQ(turns_of(0.125, 2, 8), 2U) << "parts of turns add up";
  EXPECT_EQ(turns_of(4, 0, 3), 0U);
}

TEST(CoreWork, has_a_speed) { EXPECT_GT(CoreWork::measure_speed(), 0); }

}  // namespace
}  // namespace ringmark::replay
