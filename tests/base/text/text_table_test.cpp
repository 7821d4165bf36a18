#include "base/text/text_table.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(TextTable, aligns_columns_and_leaves_no_space_at_the_end) {
  EXPECT_EQ(print_table({{"size", ">us", "note"}, {"1K", "9.5", "fast"}, {"1024K", "123.5", ""}}),
            "  size      us  note\n"
            "  1K       9.5  fast\n"
            "  1024K  123.5\n");
}

TEST(TextTable, counts_characters_and_not_bytes) {
  EXPECT_EQ(print_table({{"α", "x"}, {"ab", "y"}}),
            "  α   x\n"
            "  ab  y\n");
}

TEST(TextTable, nothing_is_no_table) { EXPECT_EQ(print_table({}), ""); }

TEST(TextTable, a_heading_alone_is_a_line) { EXPECT_EQ(print_table({{">a", "b"}}), "  a  b\n"); }

TEST(ShortNumber, has_three_digits_that_count) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(4567), "4567");
  EXPECT_EQ(short_number(12.34), "12.3");
  EXPECT_EQ(short_number(-12.34), "-12.3");
  EXPECT_EQ(short_number(1.234), "1.23");
  EXPECT_EQ(short_number(0.11951), "0.120");
  EXPECT_EQ(short_number(0.01234), "0.0123");
}

TEST(ShortNumber, takes_powers_of_ten_for_the_very_small_and_large) {
  EXPECT_EQ(short_number(0.000123), "0.000123");
  EXPECT_EQ(short_number(1.5e-7), "1.5e-07");
  EXPECT_EQ(short_number(2.5e9), "2.5e+09");
}

}  // namespace
}  // namespace ringmark
