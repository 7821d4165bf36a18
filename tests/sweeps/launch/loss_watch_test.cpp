#include "sweeps/launch/loss_watch.hpp"

#include <gtest/gtest.h>

#include "results/files/failure.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

TEST(LossWatch, ends_a_launch_some_time_after_a_rank_named_another_as_lost) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("failures");
  const LostRank lost{2, "host-2", "its host is silent"};
  LossWatch patient(file, std::chrono::hours(1)), impatient(file, Clock::duration::zero());
  EXPECT_FALSE(impatient.must_end());
  append_failure(file, {0, "host-0", 3, "no memory"});
  EXPECT_FALSE(impatient.must_end()) << "nobody is lost";
  append_failure(file, {2, "host-2", 3, "hears nobody", lost});
  EXPECT_FALSE(impatient.must_end()) << "a scan of links may go on";
  append_failure(file, {1, "host-1", 3, "lost rank 2", lost});
  EXPECT_TRUE(impatient.must_end());
  EXPECT_FALSE(patient.must_end());
}

}  // namespace
}  // namespace ringmark::sweep
