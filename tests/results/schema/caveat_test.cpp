#include "results/schema/caveat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/files/result_file.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Caveat polling = PollingOnSharedCores{.ranks = 4, .cores = 2};

TEST(Caveat, codes_read_back) {
  for (const auto& [caveat, code] : {std::pair{polling, "shared_cores:4/2"},
                                     {Caveat(SharedGpu{}), "shared_gpu"},
                                     {Caveat(Retransmission{12}), "retransmits:12"},
                                     {Caveat(WideInterval{40.5}), "wide_interval:40.5"},
                                     {Caveat(OneLabHost{}), "one_lab_host"},
                                     {Caveat(FasterThanLink{130}), "faster_than_link:130"}}) {
    EXPECT_EQ(code_of(caveat), code);
    EXPECT_EQ(parse_caveat(code), caveat) << code;
  }
  for (const char* other :
       {"", "shared_taxi:4/2", "shared_cores", "shared_cores:4", "shared_cores:4/", "shared_cores:-4/2",
        "retransmits:", "retransmits:-1", "shared_gpu:", "one_lab_host:1", "wide_interval:nan"})
    EXPECT_EQ(parse_caveat(other), std::nullopt) << other;
}

TEST(Caveat, lost_segments_alone_do_not_forbid_a_decision) {
  EXPECT_TRUE(forbid_decision({Retransmission{3}, polling}));
  EXPECT_FALSE(forbid_decision({Retransmission{3}}));
  EXPECT_FALSE(forbid_decision({FasterThanLink{130}})) << "a bucket or a buffer is a part of the network";
  EXPECT_TRUE(forbid_decision({OneLabHost{}}));
}

TEST(Caveat, figures_give_rise_to_it) {
  EXPECT_THAT(caveats_of_figures({.time_us_p50 = 100, .time_us_ci_low = 90, .time_us_ci_high = 130}), IsEmpty());
  EXPECT_THAT(caveats_of_figures({.time_us_p50 = 100, .time_us_ci_low = 60, .time_us_ci_high = 140}),
              ElementsAre(WideInterval{40}));
  EXPECT_THAT(caveats_of_figures({.retransmits = 49, .samples = 100}), IsEmpty());
  EXPECT_THAT(caveats_of_figures({.samples = 2}), IsEmpty()) << "segments were not counted";
  EXPECT_THAT(caveats_of_figures({.retransmits = 50, .samples = 100}), ElementsAre(Retransmission{50}));
}

TEST(Caveat, of_many_rows_is_the_worst_of_each_kind) {
  CaveatTally tally;
  tally.add({polling, WideInterval{30}});
  tally.add({PollingOnSharedCores{.ranks = 8, .cores = 2}});
  EXPECT_THAT(tally.caveats(), ElementsAre(PollingOnSharedCores{.ranks = 8, .cores = 2}));
  tally.add({WideInterval{60}});
  EXPECT_THAT(tally.caveats(), ElementsAre(PollingOnSharedCores{.ranks = 8, .cores = 2}, WideInterval{60}));
}

TEST(Caveat, is_shown_behind_the_detail) {
  Record row;
  add_remark(row, "");
  add_remark(row, "GPUDirect RDMA");
  add_remark(row, "not checked");
  EXPECT_EQ(remarks_on(row), "GPUDirect RDMA; not checked");
  row.caveats = {polling};
  EXPECT_EQ(remarks_on(row), "GPUDirect RDMA; not checked; " + in_words(polling));
}

}  // namespace
}  // namespace ringmark
