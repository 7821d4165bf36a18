#include "base/units.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Sizes, are_powers_of_1024) {
  EXPECT_EQ(parse_size("8"), 8U);
  EXPECT_EQ(parse_size("64K"), 65536U);
  EXPECT_EQ(parse_size("64KiB"), 65536U);
  EXPECT_EQ(parse_size("64k"), 65536U);
  EXPECT_EQ(parse_size("1G"), std::size_t{1} << 30);
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("4MB"), 4U << 20);
  EXPECT_EQ(parse_size("64kB"), 65536U);
  EXPECT_EQ(parse_size("8B"), 8U);
}

TEST(Sizes, that_could_mean_two_things_or_none_are_refused) {
  for (const char* text : {"", "K", "-1", "+1", "1.5K", "64Kb", "64KBs", "8Bi", "1 K", "1KiBs", "0x10", "1e6",
                           "99999999999999999999", "17179869184G"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(Figures, are_numbers_and_sizes) {
  EXPECT_EQ(parse_figure("4"), 4);
  EXPECT_EQ(parse_figure("64K"), 65536);
  EXPECT_EQ(parse_figure("-1.5"), -1.5);
  EXPECT_EQ(parse_figure("1e6"), 1e6);
  for (const char* text : {"", "Ring", "nan", "inf", "-inf", "1e999", "4 ", "0x10", "1.5K", "1..4"}) {
    EXPECT_EQ(parse_figure(text), std::nullopt) << text;
  }
}

TEST(Sizes, survive_formatting) {
  for (const std::size_t size : {0UL, 1UL, 1023UL, 1024UL, 1536UL, 1UL << 20, 5UL << 30, (1UL << 40) + 1}) {
    EXPECT_EQ(parse_size(format_size(size)), size);
  }
}

}  // namespace
}  // namespace ringmark
