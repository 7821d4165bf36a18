#include "results/schema/earlier_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EarlierRows, have_the_launch_in_the_name_of_their_run) {
  EXPECT_EQ(earlier_launch("20260102T030405Z-abcdef.7"), 7U);
  EXPECT_EQ(earlier_launch("v1.2.30"), 30U);
  for (const auto* name : {"", "nightly", "a.", "a.0", "a.07", "a.-1", "a.+1", "a.7x", "a.18446744073709551616"})
    EXPECT_EQ(earlier_launch(name), std::nullopt) << name;
}

TEST(EarlierRows, have_caveats_as_sentences) {
  std::string detail =
      "GPUDirect RDMA; 4 ranks share 2 cores, on which MPI polls: times are the scheduler's as well; not checked; "
      "ranks share a GPU: no time of the network; 12 segments were sent again: the network loses some; "
      "its interval is 40 % wide on each side: its samples scatter; "
      "all ranks are on one host of the lab: its loopback, not the lab's links; "
      "130 % of the link's rate: a bucket or buffer takes the bytes at once";
  EXPECT_THAT(take_earlier_caveats(detail),
              ElementsAre(PollingOnSharedCores{.ranks = 4, .cores = 2}, SharedGpu{}, Retransmission{12},
                          WideInterval{40}, OneLabHost{}, FasterThanLink{130}));
  EXPECT_EQ(detail, "GPUDirect RDMA; not checked");
  std::string other = "4 ranks share a taxi; 99999999999999999999 segments were sent again: the network loses some";
  const auto before = other;
  EXPECT_THAT(take_earlier_caveats(other), IsEmpty());
  EXPECT_EQ(other, before);
}

}  // namespace
}  // namespace ringmark
