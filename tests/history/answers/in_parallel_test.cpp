#include "history/answers/in_parallel.hpp"

#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ringmark::history {
namespace {

TEST(InParallel, does_all_work_once) {
  for (const std::size_t count : {0U, 1U, 3U, 100U}) {
    std::vector<int> done(count);
    in_parallel(count, [&] { return [&](std::size_t i) { ++done[i]; }; });
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0U), count);
  }
}

TEST(InParallel, throws_what_failed) {
  EXPECT_THROW(in_parallel(100,
                           [] {
                             return [](std::size_t i) {
                               if (i == 60) throw std::runtime_error("60");
                             };
                           }),
               std::runtime_error);
}

}  // namespace
}  // namespace ringmark::history
