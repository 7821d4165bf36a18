#include "results/run_id.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(RunId, has_the_number_of_the_launch_after_the_last_dot) {
  EXPECT_EQ(parse_run_id("20260102T030405Z-abcdef.7"), (RunId{"20260102T030405Z-abcdef", 7}));
  EXPECT_EQ(parse_run_id("v1.2.30"), (RunId{"v1.2", 30}));
  EXPECT_EQ(parse_run_id("nightly"), (RunId{"nightly", std::nullopt}));
  EXPECT_LT(parse_run_id("a.9"), parse_run_id("a.10"));
}

TEST(RunId, gives_back_every_text) {
  for (const auto* text : {"", "a", "a.7", "a.", ".7", "a.0", "a.07", "a.-1", "a.+1", "a.7x", "a.b.7", "s.0tcp",
                           "a.18446744073709551615", "a.18446744073709551616"})
    EXPECT_EQ(to_text(parse_run_id(text)), text);
}

}  // namespace
}  // namespace ringmark
