#include "bench/link/sharing.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

Record row(int source, int destination, double GBps) {
  Record record;
  record.collective = LinkTest::bandwidth;
  record.link = {source, destination};
  record.size_bytes = 1'000'000;
  record.time_us_min = 1e3 / GBps;
  return record;
}

TEST(Sharing, finds_links_that_are_slow_only_at_once) {
  const std::vector<Record> at_once{row(0, 1, 10), row(0, 2, 5), row(1, 2, 4), row(2, 3, 2)};
  const std::vector<Record> alone{row(0, 1, 10.2), row(0, 2, 10), row(1, 2, 10), row(2, 3, 2.1)};
  const auto shared = find_shared(at_once, alone);
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].link, (LinkEnds{1, 2}));
  EXPECT_NEAR(shared[0].alone_GBps, 10, 1e-9);
  EXPECT_EQ(shared[1].link, (LinkEnds{0, 2}));
  EXPECT_NE(in_words(shared, 4, {"a", "b", "c", "d"}).find("rank 1 on b to rank 2 on c"), std::string::npos);
  EXPECT_NE(in_words(shared, 4, {"a", "b", "c", "d"}).find("2 of 4"), std::string::npos);
  EXPECT_EQ(in_words({}, 0, {}), "");
}

Record with_median(Record record) {
  record.algbw_GBps = static_cast<double>(record.size_bytes) / *record.time_us_min * 1e-3;
  return record;
}

TEST(Sharing, tells_connections_that_met_from_links_that_always_share) {
  const auto of = [](int source, int destination, double GBps) { return with_median(row(source, destination, GBps)); };
  const std::vector<Record> at_once{of(0, 1, 5), of(2, 3, 5), of(0, 2, 4), of(1, 3, 4)};
  const std::vector<Record> alone{of(0, 1, 10), of(0, 2, 8)};
  // The first step meets again, then not; in the second one link has more at the other's cost.
  const std::vector<Again> again{{of(0, 1, 5), of(2, 3, 5)}, {of(0, 1, 9), of(2, 3, 9)}, {of(0, 2, 7), of(1, 3, 1)}};
  const auto shared = find_shared(at_once, alone, again);
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_TRUE(shared[0].is_collision);
  EXPECT_NEAR(shared[0].again_GBps, 9, 1e-9) << "the best of them";
  EXPECT_FALSE(shared[1].is_collision);
  EXPECT_FALSE(find_shared(at_once, alone)[0].is_collision) << "nothing is known of other connections";
  auto lucky = of(0, 1, 10);
  lucky.algbw_GBps = 5;
  EXPECT_TRUE(find_shared(at_once, {lucky}).empty()) << "one message alone was fast";
  const auto text = in_words(shared, 4, {"a", "b", "c", "d"});
  EXPECT_NE(text.find("1 shares something"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of them is as fast over different connections"), std::string::npos) << text;
  EXPECT_NE(text.find("5 GB/s at once, 10 alone, 9 at once over different connections"), std::string::npos) << text;
}

TEST(Sharing, that_runs_out_of_step_once_is_no_collision) {
  const auto of = [](int source, int destination, double GBps) { return with_median(row(source, destination, GBps)); };
  const std::vector<Record> at_once{of(0, 1, 5), of(2, 3, 5)}, alone{of(0, 1, 10), of(2, 3, 10)};
  const Again apart{of(0, 1, 9), of(2, 3, 9)}, sharing{of(0, 1, 5), of(2, 3, 5.5)},
      lopsided{of(0, 1, 9.5), of(2, 3, 1)};
  const auto collisions = [&](const Again& again) {
    const auto shared = find_shared(at_once, alone, {again});
    return std::count_if(shared.begin(), shared.end(), [](const SharedLink& each) { return each.is_collision; });
  };
  EXPECT_EQ(collisions(slower_of_both(apart, apart)), 2);
  for (const auto& other : {sharing, lopsided}) {
    EXPECT_EQ(collisions(slower_of_both(apart, other)), 0);
    EXPECT_EQ(collisions(slower_of_both(other, apart)), 0);
  }
  EXPECT_EQ(slower_of_both(apart, {of(0, 1, 9)}).size(), 1U) << "a link that failed the second time is not confirmed";
}

TEST(Sharing, the_slowest_and_some_others_are_measured_again) {
  std::vector<Record> rows;
  for (int i = 1; i <= 100; ++i) rows.push_back(row(0, i, i));
  auto latency = row(0, 1, 0.1);
  latency.collective = LinkTest::latency;
  rows.push_back(latency);
  const auto chosen = choose_for_alone(rows, 8);
  ASSERT_EQ(chosen.size(), 8U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(chosen[i], i);
  EXPECT_EQ(chosen.back(), 99U);
  EXPECT_EQ(choose_for_alone({rows[0], rows[1]}, 8).size(), 2U);
}

TEST(Sharing, messages_that_the_processor_limits_are_not_measured_again) {
  std::vector<Record> rows{row(0, 1, 10), row(1, 0, 1)};
  for (int i = 0; i < 2; ++i) {
    rows.push_back(row(i, 1 - i, 0.01));
    rows.back().size_bytes = 8;
    rows.back().time_us_min = 3;
  }
  EXPECT_EQ(choose_for_alone(rows, 8), (std::vector<std::size_t>{1, 0}));
}

TEST(Sharing, pairs_within_a_host_do_not_decide_what_limits_those_between_hosts) {
  std::vector<Record> rows{row(0, 1, 100), row(0, 2, 10), row(0, 1, 40), row(0, 2, 8)};
  for (auto& each : rows) each.nodes = each.link->destination == 1 ? 1 : 2;
  for (auto* each : {&rows[2], &rows[3]}) {
    each->size_bytes /= 10;
    each->time_us_min = *each->time_us_min / 10;
  }
  EXPECT_EQ(choose_for_alone(rows, 8), (std::vector<std::size_t>{3, 1, 2, 0})) << "links carry 8 of 10 GB/s";
}

}  // namespace
}  // namespace ringmark
