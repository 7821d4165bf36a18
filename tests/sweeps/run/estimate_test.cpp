#include "sweeps/run/estimate.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/run/journal.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string estimate(int ranks, std::optional<double> seconds, std::optional<double> measured = std::nullopt) {
  Sweep sweep;
  sweep.deadline = std::chrono::seconds(60);
  sweep.grace = std::chrono::seconds(6);
  Resolved resolved{Program::all_reduce, ranks, 2, {}, {}, {}};
  Estimate all;
  for (int launch = 0; launch < 10; ++launch) all.add(sweep, resolved, {{8}, 1, seconds});
  return all.in_words(measured);
}

TEST(Estimate, has_the_start_of_launches_and_a_bound_that_is_one) {
  EXPECT_THAT(estimate(2, 2.0),
              AllOf(HasSubstr("about 27 s: "), HasSubstr("20 s of measuring"), HasSubstr("at most 21 min 00 s")));
  EXPECT_THAT(estimate(16, 2.0), HasSubstr("about 1 min 02 s: ")) << "more ranks and nodes take longer";
  EXPECT_THAT(estimate(2, std::nullopt), AllOf(Not(HasSubstr("about 27 s")), HasSubstr("at most 21 min 00 s")));
  EXPECT_THAT(estimate(2, 100.0), HasSubstr("about 10 min 07 s: ")) << "no longer than the starts and the deadlines";
}

TEST(Estimate, learns_from_launches_that_were_run) {
  EXPECT_THAT(estimate(2, 2.0, 4.5), AllOf(HasSubstr("about 45 s, "), HasSubstr("4.5 s each")));
  const testing_support::ResultFolder folder;
  EXPECT_EQ(seconds_of_a_launch(""), std::nullopt);
  EXPECT_EQ(seconds_of_a_launch(folder.path()), std::nullopt);
  {
    Journal journal(folder.file("journal"));
    journal.begin({"run", "run", "/s.yaml", ""});
    for (const double seconds : {1.0, 2.0, 0.0}) journal.done({.launch = 1, .seconds = seconds});
  }
  EXPECT_EQ(seconds_of_a_launch(folder.path()), 1.5) << "a launch that was not tried took no time";
}

}  // namespace
}  // namespace ringmark::sweep
