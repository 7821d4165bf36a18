#include "results/schema/printed_number.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(PrintedNumber, may_be_off_by_its_last_digit_or_a_hundredth_of_a_percent) {
  const auto range = [](const char* word) {
    const auto number = printed_number(word);
    return number ? std::pair(number->low, number->high) : std::pair(0.0, 0.0);
  };
  EXPECT_DOUBLE_EQ(range("12.5").first, 12.4);
  EXPECT_DOUBLE_EQ(range("12.5").second, 12.6);
  EXPECT_EQ(range("100"), std::pair(99.0, 101.0));
  EXPECT_EQ(range("1.05e+06"), std::pair(1040000.0, 1060000.0));
  EXPECT_DOUBLE_EQ(range("1.04858e+06").first, 1048580 - 104.858);
  EXPECT_DOUBLE_EQ(range("5e-05").second, 6e-05);
  EXPECT_EQ(range("-5"), std::pair(-6.0, -4.0));
  for (const char* word : {"", "N/A", "nan", "inf", "1.5x", "1e", "1e400"}) EXPECT_FALSE(printed_number(word)) << word;
}

bool belong(double bytes, const char* time_us, const char* GBps) {
  return may_belong(bytes, *printed_number(time_us), *printed_number(GBps));
}

TEST(PrintedNumber, a_rate_belongs_to_its_time_within_rounding) {
  EXPECT_TRUE(belong(1048576, "8.99", "116.638"));
  EXPECT_FALSE(belong(1048576, "899", "116.638"));
  EXPECT_FALSE(belong(1048576, "8.99", "11.6638"));
  EXPECT_TRUE(belong(1024, "0.3", "3.41")) << "0.3 may be 0.2 to 0.4";
  EXPECT_TRUE(belong(0, "12.5", "0"));
  EXPECT_FALSE(belong(0, "12.5", "3.2"));
  EXPECT_FALSE(belong(1024, "-5.0", "3.2"));
  EXPECT_TRUE(may_be_equal(*printed_number("12.5"), *printed_number("12.4837")));
  EXPECT_FALSE(may_be_equal(*printed_number("12.5"), *printed_number("12.8")));
}

}  // namespace
}  // namespace ringmark
