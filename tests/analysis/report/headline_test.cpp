#include "analysis/report/headline.hpp"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table/column_roles.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

class HeadlineTest : public testing::Test {
 protected:
  /// Six launches of each number of sockets, with these times at 1 MiB; all take 10 us at 1 KiB.
  void fill(const std::map<std::string, double>& times_us) {
    for (const auto& [sockets, time_us] : times_us) {
      for (int launch = 0; launch < 6; ++launch) {
        for (const std::uint64_t size : {std::uint64_t{1024}, std::uint64_t{1} << 20U}) {
          auto row = measured(sockets + "." + std::to_string(launch),
                              (size == 1024 ? 10 : time_us) * (1 + 0.001 * launch), size);
          row.extra = {{"tcp.sockets", sockets}};
          table_.add(row, "r", table_.rows() + 2);
        }
      }
    }
    add_configurations(table_);
    comparison_ = compare(table_, all_rows(table_), {.by = configuration_column});
  }
  std::vector<BestAtLargest> best(std::optional<double> limit = {}) const {
    return best_at_largest(table_, all_rows(table_), comparison_, limit);
  }
  std::string text() const { return headline(best(), comparison_); }

  Table table_;
  std::optional<CompareResult> comparison_;
};

TEST_F(HeadlineTest, figures_in_doubt_make_nothing_the_fastest) {
  add_mpi_in_doubt(table_);
  add_configurations(table_);
  comparison_ = compare(table_, all_rows(table_), {.by = "transport"});
  EXPECT_FALSE(best().at(0).is_shown);
  EXPECT_THAT(text(), HasSubstr("No transport is clearly the fastest"));
  EXPECT_THAT(ringmark::in_words(caveats_of(best())), HasSubstr("4 ranks share 2 cores"));
}

TEST_F(HeadlineTest, the_best_at_the_largest_size_is_shown_faster) {
  fill({{"", 1000}, {"4", 500}});
  const auto found = best(10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].size_bytes, std::uint64_t{1} << 20U);
  EXPECT_EQ(found[0].label, "tcp.sockets=4");
  EXPECT_TRUE(found[0].is_shown);
  ASSERT_TRUE(found[0].of_limit_percent);
  EXPECT_NEAR(*found[0].of_limit_percent, 10 * found[0].busbw_GBps, 1e-9);
  EXPECT_THAT(text(), HasSubstr("tcp.sockets=4 is the fastest"));
}

TEST_F(HeadlineTest, the_default_is_shown_the_best_where_all_others_are_slower) {
  fill({{"", 500}, {"2", 700}, {"4", 1000}});
  ASSERT_EQ(best().size(), 1U);
  EXPECT_EQ(best()[0].label, "");
  EXPECT_TRUE(best()[0].is_shown);
  EXPECT_THAT(text(), HasSubstr("the default is the fastest"));
}

TEST_F(HeadlineTest, of_a_crossing_has_the_best_at_each_size) {
  for (const auto& [algorithm, small_us, large_us] :
       {std::tuple{"ring", 100.0, 1000.0}, {"recursive_doubling", 40.0, 2000.0}}) {
    for (int launch = 0; launch < 6; ++launch) {
      for (const std::uint64_t size : {std::uint64_t{1024}, std::uint64_t{1} << 20U}) {
        auto row = measured(algorithm + std::to_string(launch), (size == 1024 ? small_us : large_us) + launch, size);
        row.algorithm = algorithm;
        table_.add(row, "r", table_.rows() + 2);
      }
    }
  }
  add_configurations(table_);
  comparison_ = compare(table_, all_rows(table_), {.by = "algorithm", .baseline = "ring"});
  EXPECT_THAT(text(), HasSubstr("recursive_doubling is faster than ring at 1K"));
  EXPECT_THAT(text(), HasSubstr("no algorithm is significantly faster than ring at 1M"));
}

TEST_F(HeadlineTest, claims_nothing_that_is_not_shown) {
  fill({{"", 1000}, {"4", 999.9}});
  ASSERT_EQ(best().size(), 1U);
  EXPECT_FALSE(best()[0].is_shown);
  EXPECT_THAT(text(), Not(HasSubstr("is the fastest")));
  EXPECT_THAT(text(), HasSubstr("clearly the fastest"));
}

TEST_F(HeadlineTest, the_best_of_three_was_compared_with_the_default_only) {
  fill({{"", 1000}, {"2", 700}, {"4", 500}});
  EXPECT_THAT(text(), HasSubstr("tcp.sockets=4 is the best"));
  EXPECT_THAT(text(), HasSubstr("significantly faster than the default"));
}

TEST(Headline, without_rows_says_so) { EXPECT_THAT(headline({}, std::nullopt), HasSubstr("No collective bandwidth")); }

TEST(Headline, of_steps_has_the_shortest_and_its_exposed_share) {
  const TrainingStep slow{
      .case_name = "m", .scaled = "", .configuration = "zero=1", .row = 0, .launches = 3, .time_us = 2e6};
  auto fast = slow;
  fast.configuration = "zero=2";
  fast.time_us = 1e6;
  fast.exposed_us = 2.5e5;
  const auto text = headline(std::vector{slow, fast});
  for (const char* words : {"1000 to 2000 ms", "zero=2", "25 %"}) EXPECT_THAT(text, HasSubstr(words));
  EXPECT_THAT(text, Not(HasSubstr("single launches")));
}

}  // namespace
}  // namespace ringmark::analysis
