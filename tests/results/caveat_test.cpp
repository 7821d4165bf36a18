#include "results/caveat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/csv.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Caveat polling = PollingOnSharedCores{.ranks = 4, .cores = 2};

TEST(Caveat, words_read_back) {
  for (const Caveat& each : {polling, Caveat(SharedGpu{}), Caveat(Retransmission{12}), Caveat(WideInterval{40}),
                             Caveat(OneLabHost{}), Caveat(FasterThanLink{130})})
    EXPECT_EQ(parse_caveat(in_words(each)), each);
  EXPECT_EQ(parse_caveat("4 ranks share a taxi"), std::nullopt);
  EXPECT_EQ(parse_caveat(in_words(polling) + " or so"), std::nullopt);
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

TEST(Detail, keeps_its_text_and_knows_its_caveats) {
  const std::string text = "GPUDirect RDMA; " + in_words(polling) + "; a; b; ";
  const Detail detail(text);
  EXPECT_EQ(detail.text(), text);
  EXPECT_THAT(detail.caveats(), ElementsAre(polling));
  EXPECT_TRUE(Detail("").empty());
}

TEST(Detail, survives_a_csv) {
  Record record;
  record.detail = "not checked";
  record.detail.add(polling);
  const auto read = from_csv(record_header(), to_csv(record), 2);
  EXPECT_EQ(read.detail, record.detail);
  EXPECT_THAT(caveats_of(read), ElementsAre(polling));
}

}  // namespace
}  // namespace ringmark
