#include "base/text/spelling.hpp"

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
  EXPECT_EQ(meant_by("rnaks", flags), "ranks") << "two letters that changed places";
  EXPECT_EQ(meant_by("foo", flags), "") << "two of three letters";
  EXPECT_EQ(meant_by("transport", flags), "");
  EXPECT_EQ(meant_by("rank", {}), "");
}

TEST(Spelling, knows_other_words_for_the_same) {
  constexpr std::array<std::string_view, 6> flags{"max-time", "max-bytes", "min-bytes", "iters", "ranks", "datatype"};
  EXPECT_EQ(meant_by("max-size", flags), "max-bytes") << "max-time has fewer other letters";
  EXPECT_EQ(meant_by("min-sizes", flags), "min-bytes");
  EXPECT_EQ(meant_by("iterations", flags), "iters");
  EXPECT_EQ(meant_by("ntasks", flags), "ranks");
  EXPECT_EQ(meant_by("dtype", flags), "datatype");
  EXPECT_EQ(meant_by("max-tme", flags), "max-time");
}

}  // namespace
}  // namespace ringmark
