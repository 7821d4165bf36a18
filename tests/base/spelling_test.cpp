#include "base/spelling.hpp"

#include <array>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Spelling, of_names_is_one_without_case_and_signs) {
  EXPECT_EQ(lower_case("All-Reduce 2"), "all-reduce 2");
  EXPECT_EQ(letters_of("All-Reduce 2"), "allreduce");
  EXPECT_EQ(letters_of("all_reduce"), "allreduce");
}

TEST(Spelling, tells_the_nearest_name) {
  constexpr std::array<std::string_view, 4> flags{"ranks", "ranks-per-node", "op", "repetition"};
  EXPECT_EQ(meant_by("rank", flags), "ranks");
  EXPECT_EQ(meant_by("ranks-per-nod", flags), "ranks-per-node");
  EXPECT_EQ(meant_by("repitition", flags), "repetition");
  EXPECT_EQ(meant_by("o", flags), "op");
  EXPECT_EQ(meant_by("foo", flags), "") << "two of three letters";
  EXPECT_EQ(meant_by("transport", flags), "");
  EXPECT_EQ(meant_by("rank", {}), "");
}

}  // namespace
}  // namespace ringmark
