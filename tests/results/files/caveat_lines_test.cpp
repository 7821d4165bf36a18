#include "results/files/caveat_lines.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(CaveatLines, tell_each_caveat_of_each_setting_and_whether_it_forbids_a_decision) {
  const Caveat shared = SharedGpu{}, again = Retransmission{3};
  EXPECT_EQ(caveat_lines({{"ring", {shared, again}}, {"tree", {}}}, "  "),
            "  in doubt: ring: " + in_words(shared) + "\n  note: ring: " + in_words(again) + "\n");
  EXPECT_EQ(caveat_lines({{"tree", {again}}}), "note: tree: " + in_words(again) + "\n");
  EXPECT_EQ(caveat_lines({}), "");
}

}  // namespace
}  // namespace ringmark
