#include "lab/rate.hpp"

#include <gtest/gtest.h>

namespace ringmark::lab {
namespace {

TEST(RateTest, reads_tcs_decimal_units) {
  EXPECT_EQ(parse_rate("1gbit"), Rate{1'000'000'000});
  EXPECT_EQ(parse_rate("200mbit"), Rate{200'000'000});
  EXPECT_EQ(parse_rate("500kbit"), Rate{500'000});
  EXPECT_EQ(parse_rate("64000bit"), Rate{64'000});
  EXPECT_EQ(parse_rate("2.5gbit"), Rate{2'500'000'000});
}

TEST(RateTest, zero_is_unshaped) {
  ASSERT_EQ(parse_rate("0"), Rate{});
  EXPECT_FALSE(parse_rate("0")->shaped());
  EXPECT_TRUE(parse_rate("1gbit")->shaped());
}

TEST(RateTest, keeps_its_limits) {
  EXPECT_EQ(parse_rate("8kbit"), Rate{8'000});
  EXPECT_EQ(parse_rate("400gbit"), Rate{400'000'000'000});
  EXPECT_FALSE(parse_rate("7999bit"));
  EXPECT_FALSE(parse_rate("400.1gbit"));
  EXPECT_FALSE(parse_rate("0gbit"));
}

class RefusedRateTest : public testing::TestWithParam<const char*> {};

TEST_P(RefusedRateTest, is_no_rate) { EXPECT_FALSE(parse_rate(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Texts, RefusedRateTest,
                         testing::Values("", "fast", "1", "gbit", "1Gbit", "1gbps", "1 gbit", " 1gbit", "1gbit ",
                                         "-1gbit", "+1gbit", "1e3mbit", "infgbit", "nangbit", "1gbit2", ".5gbit",
                                         "1..5gbit", "99999999999999999999999gbit"));

TEST(RateTest, text_reads_back) {
  for (const char* text : {"0", "8kbit", "2500mbit", "1gbit", "400gbit", "64001bit"}) {
    ASSERT_TRUE(parse_rate(text)) << text;
    EXPECT_EQ(to_string(*parse_rate(text)), text);
  }
  EXPECT_EQ(to_string(*parse_rate("2.5gbit")), "2500mbit");
}

}  // namespace
}  // namespace ringmark::lab
