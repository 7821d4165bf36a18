#include "base/text/with_count.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(WithCount, has_the_plural_but_for_one) {
  EXPECT_EQ(with_count(0, "link"), "0 links");
  EXPECT_EQ(with_count(1, "link"), "1 link");
  EXPECT_EQ(with_count(2, "launch"), "2 launches");
  EXPECT_EQ(with_count(12, "other link"), "12 other links");
}

}  // namespace
}  // namespace ringmark
