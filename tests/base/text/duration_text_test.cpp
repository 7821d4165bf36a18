#include "base/text/duration_text.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Time, is_read_with_its_unit) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_time("500ms"), 500ms);
  EXPECT_EQ(parse_time("20s"), 20s);
  EXPECT_EQ(parse_time("10min"), 10min);
  EXPECT_EQ(parse_time("24h"), 24h);
  EXPECT_EQ(parse_time("1.5h"), 90min);
  for (const auto* bad : {"", "20", "s", "-1s", "0s", "1d", "one s", "1 2s"}) EXPECT_FALSE(parse_time(bad)) << bad;
}

}  // namespace
}  // namespace ringmark
