#include "analysis/compare/matching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table/column_roles.hpp"
#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

class MatchingTest : public testing::Test {
 protected:
  void add(const std::map<std::string, std::string>& extra, double time_us = 100, std::uint64_t size = 1024) {
    auto row = measured("run" + std::to_string(table_.rows()), time_us, size);
    row.extra = extra;
    table_.add(row, "r", table_.rows() + 2);
  }
  Matches matches(const std::string& by, const std::optional<std::string>& baseline = {}) const {
    return match(table_, all_rows(table_), by, baseline);
  }

  Table table_;
};

TEST_F(MatchingTest, holds_all_other_settings_equal) {
  for (const std::string sockets : {"1", "2"}) {
    for (const std::string tls : {"rc", "tcp"}) add({{"tcp.sockets", sockets}, {"UCX_TLS", tls}});
  }
  const auto found = matches("tcp.sockets");
  EXPECT_EQ(found.matching.baseline, "1");
  EXPECT_THAT(found.matching.values, ElementsAre("1", "2"));
  EXPECT_EQ(found.matching.baseline_groups, 2U);
  ASSERT_EQ(found.pairs.size(), 2U);
  for (const auto& pair : found.pairs) {
    EXPECT_EQ(pair.value, "2");
    EXPECT_EQ(table_.cell(pair.row, "UCX_TLS"), table_.cell(pair.baseline_row, "UCX_TLS"));
    EXPECT_EQ(pair.setting, "UCX_TLS=" + table_.cell(pair.row, "UCX_TLS"));
  }
}

TEST_F(MatchingTest, never_pools_launches_of_two_versions_of_a_library) {
  for (const std::string version : {"2.27.7", "2.29.3"}) {
    for (const std::string algorithm : {"Ring", "Tree"}) add({{"nccl_version", version}, {"NCCL_ALGO", algorithm}});
  }
  const auto by_algorithm = matches("NCCL_ALGO");
  ASSERT_EQ(by_algorithm.pairs.size(), 2U);
  for (const auto& pair : by_algorithm.pairs) {
    EXPECT_EQ(pair.times_us.size(), 1U);
    EXPECT_EQ(pair.setting, "nccl_version=" + table_.cell(pair.row, "nccl_version"));
  }
  const auto by_version = matches("nccl_version");
  EXPECT_EQ(by_version.matching.baseline, "2.27.7");
  EXPECT_EQ(by_version.pairs.size(), 2U);
}

TEST_F(MatchingTest, tells_that_a_library_changed_with_what_is_compared) {
  add({{"nccl_version", "2.27.7"}, {"NCCL_ALGO", "Ring"}});
  add({{"nccl_version", "2.29.3"}, {"NCCL_ALGO", "Tree"}});
  EXPECT_THAT(matches("NCCL_ALGO").matching.goes_along, ElementsAre(HasSubstr("nccl_version changes too")));
}

TEST_F(MatchingTest, takes_a_time_for_each_launch) {
  add({{"tcp.sockets", "1"}}, 100);
  add({{"tcp.sockets", "1"}}, 110);
  add({{"tcp.sockets", "2"}}, 50);
  const auto found = matches("tcp.sockets");
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_THAT(found.pairs[0].times_us, ElementsAre(50));
  EXPECT_THAT(found.pairs[0].baseline_us, ElementsAre(100, 110));
}

TEST_F(MatchingTest, tells_of_settings_that_change_together) {
  add({{"tcp.sockets", "1"}, {"UCX_TLS", "rc"}});
  add({{"tcp.sockets", "2"}, {"UCX_TLS", "tcp"}});
  const auto found = matches("tcp.sockets");
  EXPECT_EQ(found.pairs.size(), 1U);
  ASSERT_EQ(found.matching.goes_along.size(), 1U);
  EXPECT_THAT(found.matching.goes_along[0], HasSubstr("UCX_TLS"));
}

TEST_F(MatchingTest, never_compares_configurations_of_different_models) {
  add({{"tcp.sockets", ""}, {"device", "a100"}});
  add({{"tcp.sockets", "2"}, {"device", "h100"}});
  add_configurations(table_);
  const auto found = matches(configuration_column);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.matching.unmatched.size() + found.only_in_baseline.size(), 2U);
}

TEST_F(MatchingTest, names_groups_without_a_counterpart) {
  add({{"tcp.sockets", "1"}}, 100, 1024);
  add({{"tcp.sockets", "2"}}, 100, 1024);
  add({{"tcp.sockets", "2"}}, 100, 4096);
  const auto found = matches("tcp.sockets");
  EXPECT_EQ(found.pairs.size(), 1U);
  ASSERT_EQ(found.matching.unmatched.size(), 1U);
  EXPECT_THAT(found.matching.unmatched[0], HasSubstr("4K"));
  EXPECT_THAT(found.matching.unmatched[0], HasSubstr("size_bytes 1024, not 4096"));
}

TEST_F(MatchingTest, refuses_columns_and_baselines_that_do_not_exist) {
  add({{"tcp.sockets", "1"}});
  add({{"tcp.sockets", "2"}});
  EXPECT_THROW(matches("tcp.socket"), BadUsage);
  EXPECT_THROW(matches("tcp.sockets", "3"), BadUsage);
  EXPECT_THROW(matches("transport"), BadUsage);
  EXPECT_EQ(matches("tcp.sockets", "2").matching.baseline, "2");
}

}  // namespace
}  // namespace ringmark::analysis
