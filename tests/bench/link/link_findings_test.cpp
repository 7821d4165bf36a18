#include "bench/link/link_findings.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/link/link_report.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> hosts{"a", "b", "c", "d"};

/// A row for every link among `ranks`, whose fastest sample takes time_us(source, destination).
std::vector<Record> rows(int ranks, const std::function<double(int, int)>& time_us,
                         LinkTest test = LinkTest::bandwidth) {
  std::vector<Record> all;
  for (int source = 0; source < ranks; ++source) {
    for (int destination = 0; destination < ranks; ++destination) {
      if (source == destination) continue;
      Record record;
      record.collective = test;
      record.size_bytes = test == LinkTest::bandwidth ? 1 << 20 : 8;
      record.nodes = 2;
      record.link = {source, destination};
      record.time_us_min = time_us(source, destination) + 0.001 * (4 * source + destination);
      record.time_us_p50 = *record.time_us_min * 1.1;
      record.algbw_GBps = static_cast<double>(record.size_bytes) / *record.time_us_p50 / 1e3;
      all.push_back(record);
    }
  }
  return all;
}

LinkFindings judged(const std::vector<Record>& records, int ranks = 4, bool ranks_share_cores = false) {
  return judge_links(records, ranks, ranks_share_cores).at(0);
}

bool has_end(int rank, int source, int destination) { return source == rank || destination == rank; }

TEST(LinkFindings, name_a_rank_at_85_percent_first) {
  const auto records = rows(4, [](int s, int d) { return has_end(2, s, d) ? 100 / 0.85 : 100; });
  const auto found = judged(records);
  ASSERT_EQ(found.ranks.size(), 1U);
  EXPECT_EQ(found.ranks[0].rank, 2);
  EXPECT_TRUE(found.ranks[0].p);
  EXPECT_THAT(found.links, IsEmpty());
  EXPECT_TRUE(found.is_slow(1, 2));
  EXPECT_FALSE(found.is_slow(0, 1));
  EXPECT_THAT(in_words({found}, hosts), StartsWith("\nrank 2 on c is slow: its links have 85 %"));
  EXPECT_THAT(link_matrices({found}, records, 4), HasSubstr("*"));
}

TEST(LinkFindings, messages_that_the_processor_limits_have_no_slow_link) {
  auto records = rows(4, [](int, int) { return 8000; });
  for (auto small : rows(4, [](int s, int d) { return s == 0 && d == 3 ? 13.8 : 3.0; })) {
    small.size_bytes = 8;
    records.push_back(small);
  }
  const auto all = judge_links(records, 4, false);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].are_none());
  EXPECT_TRUE(all[1].are_none());
}

TEST(LinkFindings, of_three_ranks_name_the_end_that_slow_links_share) {
  const auto found = judged(rows(3, [](int s, int d) { return has_end(2, s, d) ? 200 : 100; }), 3);
  ASSERT_EQ(found.ranks.size(), 1U);
  EXPECT_EQ(found.ranks[0].rank, 2);
  EXPECT_FALSE(found.ranks[0].p);
  EXPECT_EQ(found.links.size(), 4U);
  EXPECT_THAT(in_words({found}, hosts), StartsWith("\nbandwidth of 1M: every slow link has rank 2 on c as an end"));
}

TEST(LinkFindings, name_one_slow_link) {
  const auto found = judged(rows(4, [](int s, int d) { return s == 1 && d == 3 ? 150 : 100; }));
  EXPECT_THAT(found.ranks, IsEmpty());
  ASSERT_EQ(found.links.size(), 1U);
  EXPECT_EQ(found.links[0].source, 1);
  EXPECT_EQ(found.links[0].destination, 3);
}

TEST(LinkFindings, raise_no_alarm_where_all_links_scatter) {
  const auto found = judged(rows(4, [](int s, int d) { return 100 + 60 * ((5 * s + 3 * d) % 7) / 6.0; }));
  EXPECT_TRUE(found.are_none());
  EXPECT_THAT(in_words({found}, hosts), HasSubstr("no rank or link stands out"));
}

TEST(LinkFindings, count_a_latency_only_if_it_is_slow_from_both_ends) {
  const auto one_way = [](int s, int d) { return s == 1 && d == 3 ? 61.0 : 8.7; };
  EXPECT_TRUE(judged(rows(4, one_way, LinkTest::latency)).are_none());
  const auto both_ways = [](int s, int d) { return has_end(1, s, d) && has_end(3, s, d) ? 61.0 : 8.7; };
  EXPECT_EQ(judged(rows(4, both_ways, LinkTest::latency)).links.size(), 2U);
  // Where ranks share cores, waking one takes that long.
  EXPECT_TRUE(judged(rows(4, both_ways, LinkTest::latency), 4, true).are_none());
  const auto far = [](int s, int d) { return has_end(2, s, d) ? 5000.0 : 8.7; };
  EXPECT_EQ(judged(rows(4, far, LinkTest::latency), 4, true).ranks.at(0).rank, 2);
}

TEST(LinkFindings, judge_by_the_fastest_sample) {
  auto records = rows(4, [](int, int) { return 100; });
  records[3].time_us_p50 = 900;
  EXPECT_TRUE(judged(records).are_none());
}

TEST(LinkFindings, judge_links_between_hosts_alone) {
  auto records = rows(4, [](int s, int d) { return s % 2 == d % 2 ? 10 : 500; });
  for (auto& record : records) record.nodes = record.link->source % 2 == record.link->destination % 2 ? 1 : 2;
  EXPECT_TRUE(judged(records).are_none());
}

TEST(LinkFindings, are_at_most_six_lines) {
  const auto found = judged(rows(4, [](int s, int d) { return s < 2 && d > 1 ? 300 + s + d : 100; }));
  auto many = found;
  for (int i = 0; i < 10; ++i) many.links.push_back({0, 3, 400, 4});
  const auto text = in_words({many}, hosts);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_THAT(text, HasSubstr("more, marked below"));
  EXPECT_THAT(text, Not(HasSubstr("stands out")));
}

TEST(LinkFindings, need_more_than_one_pair) {
  EXPECT_THAT(judge_links({rows(2, [](int, int) { return 100; })[0]}, 2, false), IsEmpty());
}

}  // namespace
}  // namespace ringmark
