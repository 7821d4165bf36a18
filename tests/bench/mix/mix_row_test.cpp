#include "bench/mix/mix_row.hpp"

#include <gtest/gtest.h>

#include "tests/bench/harness/session_ranks.hpp"

namespace ringmark::mix {
namespace {

using namespace testing_support;

class MixRow : public testing::Test {
 protected:
  MixRow() {
    group_.name = "dp";
    group_.ranks = {0, 2, 3};
    group_.collective = Collective::reduce;
    group_.size_bytes = 4096;
    group_.root = 2;
    group_.transport = Transport::tcp;
    group_.algorithm = "ring";
    resources_ = resources_on_one_host(tcp_endpoints(1, {}).front(), std::chrono::seconds(30));
    resources_.places = {{"a", "b", "b", "c"}, std::vector<std::string>(4, "lo")};
  }

  Record described() const { return describe_group(MixOptions{}, group_, resources_, std::string{"test", {}}); }
  Record completed(const GroupInWindow& window) {
    auto record = described();
    complete_row(window, group_, resources_, record);
    return record;
  }

  MixGroup group_;
  RankResources resources_;
};

TEST_F(MixRow, says_which_ranks_do_what) {
  const auto record = described();
  EXPECT_EQ(record.transport, Transport::tcp);
  EXPECT_EQ(record.algorithm, "ring");
  EXPECT_EQ(record.ranks, 3);
  EXPECT_EQ(record.nodes, 3);
  EXPECT_EQ(record.size_bytes, 4096U);
  EXPECT_EQ(record.count, 1024U);
  EXPECT_EQ(record.timing, Timing::each);
  EXPECT_EQ(record.start, Start::barrier);
  EXPECT_EQ(record.settings.group, "dp");
  EXPECT_EQ(record.settings.members, "0,2-3");
  EXPECT_EQ(record.settings.root, 2);
  EXPECT_EQ(record.settings.counts, "");
  EXPECT_EQ(record.settings.pattern, std::nullopt);
}

TEST_F(MixRow, has_the_times_of_its_window_and_no_counters_that_others_share) {
  const auto record = completed({.times_us = {10, 20, 30}, .path = {.wire_bytes = 5, .retransmits = 1}});
  EXPECT_EQ(record.status, Status::ok) << record.detail;
  EXPECT_EQ(record.samples, 3U);
  EXPECT_EQ(record.time_us_p50, 20);
  EXPECT_NEAR(record.algbw_GBps.value_or(0), 4096 / 20.0 / 1e3, 1e-12);
  EXPECT_EQ(record.wrong_elements, 0U);
  EXPECT_EQ(record.stop_reason, StopReason::time);
  EXPECT_FALSE(record.wire_bytes || record.retransmits);
}

TEST_F(MixRow, says_what_was_wrong) {
  const auto wrong = completed({.times_us = {10}, .wrong_elements = 7});
  EXPECT_EQ(wrong.status, Status::wrong);
  EXPECT_EQ(wrong.wrong_elements, 7U);
  const auto bypassed = completed({.times_us = {10}, .path = {.bypassed = true, .detail = "went another way"}});
  EXPECT_EQ(bypassed.status, Status::bypassed);
  EXPECT_EQ(bypassed.detail, "went another way");
}

TEST_F(MixRow, says_that_results_were_not_checked) {
  const auto record = completed({.times_us = {10}, .is_checked = false});
  EXPECT_EQ(record.status, Status::ok);
  EXPECT_EQ(record.wrong_elements, std::nullopt);
  EXPECT_EQ(record.detail, "not checked: averages of so many ranks are rounded");
}

TEST_F(MixRow, has_failed_without_times_unless_it_is_worse) {
  const auto record = completed({});
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.detail, "no operation ran while all groups did: give a longer --window");
  EXPECT_EQ(record.samples, 0U);
  EXPECT_EQ(record.stop_reason, std::nullopt);
  EXPECT_EQ(completed({.wrong_elements = 1}).status, Status::wrong);
}

}  // namespace
}  // namespace ringmark::mix
