#include "base/text/number_ranges.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(NumberRanges, join_neighbours) {
  EXPECT_EQ(number_ranges({0, 1, 2, 3, 8}), (std::vector<std::string>{"0-3", "8"}));
  EXPECT_EQ(number_ranges({5, 7, 8}), (std::vector<std::string>{"5", "7-8"}));
  EXPECT_TRUE(number_ranges({}).empty());
}

}  // namespace
}  // namespace ringmark
