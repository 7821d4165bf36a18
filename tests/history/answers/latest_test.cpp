#include "history/answers/latest.hpp"

#include <gmock/gmock.h>

#include "history/commands/open_metrics.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

using testing::HasSubstr;

TEST_F(StoreTest, the_latest_launch_is_next_to_what_was_normal_before_it) {
  add_daily({10, 10.1, 10, 9.9, 10, 10.1, 10, 30});
  const auto latest = latest_launches(store(), 30);
  ASSERT_EQ(latest.size(), 1U);
  EXPECT_EQ(latest[0].cluster, "lab");
  EXPECT_EQ(latest[0].launch.time_us, 30);
  EXPECT_EQ(latest[0].values.at("collective"), "all_reduce");
  ASSERT_TRUE(latest[0].normal);
  EXPECT_EQ(latest[0].normal->launches, 7U);
  EXPECT_EQ(latest[0].normal->judge(30), Place::above);
  EXPECT_NEAR(*latest[0].busbw_GBps, 1048576 / 30e-6 / 1e9 * 1.5, 0.1);
}

TEST_F(StoreTest, the_last_change_of_a_series_is_known) {
  std::vector<double> times_us;
  for (int i = 0; i < 60; ++i) times_us.push_back((i < 40 ? 10 : 12) + 0.01 * (i % 3));
  add_daily(times_us);
  const auto latest = latest_launches(store(), 30);
  ASSERT_TRUE(latest.front().change);
  EXPECT_EQ(latest.front().change->first_after, day(40));
  EXPECT_NEAR(latest.front().change->ratio, 1.2, 0.01);
  ASSERT_TRUE(latest.front().normal_busbw_GBps);
  EXPECT_LT(latest.front().normal_busbw_GBps->low, *latest.front().busbw_GBps);
}

TEST_F(StoreTest, hosts_are_compared_with_the_median_host) {
  add_daily({10, 10, 20, 10, 10, 20},
            [](Record& row, int number) { row.settings.hosts = fmt::format("node{}", number % 3); });
  const auto hosts = latest_hosts(store(), 30);
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[2].host, "node2");
  EXPECT_NEAR(hosts[2].time_ratio, 2, 1e-9);
  EXPECT_NEAR(hosts[0].time_ratio, 1, 1e-9);
}

TEST_F(StoreTest, series_that_ended_long_ago_are_left_out) {
  add_daily({10, 10, 20}, [](Record& row, int number) {
    if (number == 2) row.size_bytes = 2048;
  });
  EXPECT_EQ(latest_launches(store(), 1).size(), 2U);
  EXPECT_EQ(latest_launches(store(), 0).size(), 1U);
}

TEST_F(StoreTest, each_cluster_has_its_latest_verdict) {
  for (int number = 0; number < 3; ++number) {
    Contents contents{.file = "v", .sha256 = fmt::format("{}", number)};
    contents.verdict = StoredVerdict{day(number), number == 2 ? "fail" : "pass", {}, "{}"};
    add(store(), contents, "lab");
  }
  const auto verdicts = latest_verdicts(store());
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].outcome, "fail");
  EXPECT_EQ(verdicts[0].time, day(2));
}

TEST_F(StoreTest, rows_of_the_latest_night_are_counted_by_status) {
  add_daily({10, 10, 10}, [](Record& row, int number) { row.status = number == 1 ? Status::failed : Status::ok; });
  auto wrong = row_of("wrong", 10);
  wrong.record.status = Status::wrong;
  add(store(), contents_of("wrong", {launch_of(day(2) + std::chrono::hours(1), {wrong})}), "lab");
  const auto rows = latest_rows(store());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].rows, (std::map<std::string, std::uint64_t>{{"ok", 1}, {"wrong", 1}, {"failed", 0}}));
  EXPECT_THAT(open_metrics({}, {}, {}, rows), HasSubstr("ringmark_latest_rows{cluster=\"lab\",status=\"wrong\"} 1\n"));
}

TEST_F(StoreTest, metrics_have_seconds_and_labels_that_prometheus_takes) {
  add_daily({10, 10, 10, 10, 10, 10, 10}, [](Record& row, int) {
    row.settings.others["tcp.sockets"] = "2";
    row.settings.others["label.note"] = "a \"b\" \\ c";
  });
  const auto text = open_metrics(latest_launches(store(), 30), {}, {{"lab", "pass", day(1)}}, {});
  EXPECT_THAT(text, HasSubstr("# UNIT ringmark_time_seconds seconds\n"));
  EXPECT_THAT(text, HasSubstr("tcp_sockets=\"2\""));
  EXPECT_THAT(text, HasSubstr(R"(label_note="a \"b\" \\ c")"));
  EXPECT_THAT(text, HasSubstr("} 1e-05\n"));
  EXPECT_THAT(text, HasSubstr("ringmark_verdict_timestamp_seconds{cluster=\"lab\",outcome=\"pass\"} 1767312000\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

}  // namespace
}  // namespace ringmark::history
