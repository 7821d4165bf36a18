#include "analysis/stragglers/rank_evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(RankEvidence, of_exact_figures_is_one_number) {
  RankEvidence evidence;
  evidence.bound(Collective::all_reduce, "10.00", "15.00");
  EXPECT_EQ(evidence.settle({}).ranks, 4) << "2 (n - 1) / n";
  RankEvidence gather;
  gather.bound(Collective::all_gather, "8.000", "7.000");
  EXPECT_EQ(gather.settle({}).ranks, 8) << "(n - 1) / n";
}

TEST(RankEvidence, of_rounded_figures_is_all_numbers_that_round_so) {
  RankEvidence evidence;
  evidence.bound(Collective::all_reduce, "10", "15");
  for (const int ranks : {4, 5}) EXPECT_TRUE(evidence.may_be(ranks)) << ranks;
  for (const int ranks : {3, 6}) EXPECT_FALSE(evidence.may_be(ranks)) << ranks;
  EXPECT_EQ(evidence.settle({}).ranks, std::nullopt);
  EXPECT_THAT(evidence.settle({}).refusal, HasSubstr("4 to 5"));
  EXPECT_EQ(evidence.settle(5).ranks, 5);
}

TEST(RankEvidence, that_is_only_stated_says_nothing_of_figures) {
  RankEvidence evidence;
  evidence.state(2, "its list of ranks");
  const auto count = evidence.settle(8);
  EXPECT_EQ(count.ranks, 2);
  EXPECT_THAT(count.note, HasSubstr("--ranks 8 is ignored"));
  EXPECT_THAT(count.note, Not(HasSubstr("busbw")));
  EXPECT_THAT(RankEvidence().settle({}).refusal, Not(HasSubstr("busbw")));
  EXPECT_THAT(RankEvidence().settle(3).refusal, IsEmpty());
}

TEST(RankEvidence, that_contradicts_itself_gives_no_number) {
  RankEvidence evidence;
  evidence.state(4, "its list of ranks");
  evidence.state(8, "NCCL's log");
  EXPECT_EQ(evidence.stated(), std::nullopt);
  EXPECT_THAT(evidence.settle({}).refusal, HasSubstr("contradictory"));
  RankEvidence listed;
  listed.bound(Collective::all_reduce, "10.00", "15.00");
  listed.see_rank(4);
  EXPECT_FALSE(listed.may_be(4)) << "rank 4 is the fifth";
  EXPECT_EQ(listed.settle({}).ranks, std::nullopt);
}

}  // namespace
}  // namespace ringmark::analysis
