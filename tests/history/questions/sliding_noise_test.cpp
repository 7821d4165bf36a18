#include "history/questions/sliding_noise.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "history/questions/split.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

TEST(SlidingNoise, finds_what_sorting_finds_wherever_the_stretch_moves) {
  std::mt19937_64 random(1);
  std::vector<double> levels(500);
  for (auto& level : levels) level = static_cast<double>(random() % 50);  // with many that are equal
  SlidingNoise sliding;
  std::size_t begin = 0;
  for (std::size_t end = 2; end <= levels.size(); ++end) {
    if (end > 100) ++begin;
    if (end == 200) begin = 180;
    if (end == 230) begin = 120;
    if (end % 97 == 0) continue;  // a night is left out
    sliding.move_to(levels, begin, end);
    const auto stretch = std::span(levels).subspan(begin, end - begin);
    EXPECT_EQ(sliding.median(), median({stretch.begin(), stretch.end()})) << end;
    EXPECT_EQ(sliding.noise(), noise_of(stretch)) << end;
  }
}

}  // namespace
}  // namespace ringmark::history
