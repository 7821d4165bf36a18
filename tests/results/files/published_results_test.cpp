#include "results/files/published_results.hpp"

#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// The GPUs that the refusal of an unknown one names.
std::string refusal(const std::string& asked) {
  try {
    published_results(asked, "--published");
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(PublishedResults, are_each_of_one_case_from_one_source) {
  for (const std::string gpu : {"a100_sxm_40g", "a100_sxm_80g", "b200", "b300", "gb200", "gb300", "h100_sxm",
                                "h200_sxm", "mi300x", "mi325x", "mi355x"}) {
    std::set<std::tuple<std::string, std::string, int, std::uint64_t>> seen;
    for (const auto& each : published_results(gpu, "--published")) {
      const auto& row = each.record;
      ASSERT_TRUE(row.collective.only());
      EXPECT_TRUE(seen.emplace(origin_in_words(each), name(*row.collective.only()), row.ranks, row.size_bytes).second)
          << origin_in_words(each) << " " << row.size_bytes;
      EXPECT_THAT(each.source, StartsWith("https://"));
      EXPECT_EQ(row.ranks % row.nodes, 0);
      EXPECT_GT(*row.busbw_GBps, 1);
      EXPECT_LT(*row.busbw_GBps, 1000);
    }
  }
}

TEST(PublishedResults, have_the_published_bandwidths) {
  const auto rate =
      published_all_reduce(published_results("h100_sxm:efa", "--published"), std::uint64_t{8} << 30U, 256);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->busbw_GBps, 321.1, 0.1);
  ASSERT_EQ(rate->sources.size(), 1U);
  EXPECT_THAT(rate->sources.front(), HasSubstr("NCCL 2.28.7"));
}

TEST(PublishedResults, of_a_network_are_those_of_that_kind) {
  for (const auto& each : published_results("h100_sxm:ib", "--published")) EXPECT_THAT(each.network, StartsWith("ib"));
  EXPECT_FALSE(published_all_reduce(published_results("h100_sxm:ib", "--published"), std::uint64_t{8} << 30U, 256));
}

TEST(PublishedResults, of_several_sources_have_their_median) {
  const auto results = published_results("h100_sxm:nvlink", "--published");
  const auto rate = published_all_reduce(results, std::uint64_t{8} << 30U, 8);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->sources.size(), 2U);
  EXPECT_NEAR(rate->busbw_GBps, 480, 1);
  EXPECT_THAT(cases_in_words(results), StartsWith("all_reduce over 8 ranks (1M, 16M"));
}

TEST(PublishedResults, of_what_is_unknown_are_refused_with_what_there_is) {
  EXPECT_THAT(refusal("h100"), HasSubstr("h100_sxm"));
  EXPECT_THAT(refusal("h100_sxm:token_ring"), HasSubstr("efa_32x100"));
  EXPECT_THAT(refusal("h100_sxm"), IsEmpty());
  EXPECT_THAT(refusal("h100_sxm:token_ring"), Not(HasSubstr("mnnvl")));
}

}  // namespace
}  // namespace ringmark
