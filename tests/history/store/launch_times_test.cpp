#include "history/store/launch_times.hpp"

#include "history/store/derived_times.hpp"
#include "history/store/forget.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

TEST_F(StoreTest, a_launch_that_grows_has_the_time_of_all_its_rows) {
  add(store(), contents_of("a", {launch_of(day(0), {row_of("a", 10)})}), "lab");
  add(store(), contents_of("a, later", {launch_of(day(0), {row_of("a", 10), row_of("a", 40)})}), "lab");
  const auto launches = launch_times(store(), all_series(store()).front().id, {.cluster = "lab"});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_NEAR(launches.front().time_us, 20, 1e-9);
}

TEST_F(StoreTest, launches_of_several_clusters_come_in_time_order) {
  add(store(), contents_of("b", {launch_of(day(2), {row_of("b", 30)})}), "cloud");
  add(store(), contents_of("a", {launch_of(day(1), {row_of("a", 20)}), launch_of(day(3), {row_of("c", 40)})}), "lab");
  const auto series = all_series(store()).front().id;
  const auto launches = launch_times(store(), series, {});
  ASSERT_EQ(launches.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launches[static_cast<std::size_t>(i)].time, day(i + 1));
  const auto span = LaunchTimeReader(store(), {}).span_of(series);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->first, day(1));
  EXPECT_EQ(span->last, day(3));
}

TEST_F(StoreTest, the_span_of_a_selection_is_that_of_its_launches) {
  const std::vector<double> times_us(30, 10);
  add_daily(times_us);
  const auto series = all_series(store()).front().id;
  const auto span = LaunchTimeReader(store(), {.cluster = "lab", .since = day(8), .until = day(20)}).span_of(series);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->first, day(8));
  EXPECT_EQ(span->last, day(19));
  EXPECT_FALSE(LaunchTimeReader(store(), {.cluster = "lab", .since = day(40)}).span_of(series));
  EXPECT_FALSE(LaunchTimeReader(store(), {.cluster = "lab", .host = "node99"}).span_of(series));
}

TEST_F(StoreTest, a_forgotten_launch_has_no_time_left) {
  add_daily({10, 11, 12});
  const auto series = all_series(store()).front().id;
  forget(store(), {.before = day(2)});
  const auto launches = launch_times(store(), series, {});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches.front().time, day(2));
  forget(store(), {.before = day(3)});
  EXPECT_EQ(store().database().execAndGet("SELECT count(*) FROM launch_times").getInt(), 0);
}

TEST_F(StoreTest, a_time_limit_between_launches_of_a_second_is_exact) {
  const auto midnight = day(7);
  add(store(), contents_of("a", {launch_of(midnight - std::chrono::seconds(1), {row_of("a", 10)})}), "lab");
  add(store(), contents_of("b", {launch_of(midnight, {row_of("b", 20)})}), "lab");
  const auto series = all_series(store()).front().id;
  const auto times_us = [&](const Selection& selection) {
    std::vector<double> times;
    for (const auto& each : launch_times(store(), series, selection)) times.push_back(each.time_us);
    return times;
  };
  EXPECT_EQ(times_us({.until = midnight}), std::vector<double>{10});
  EXPECT_EQ(times_us({.since = midnight}), std::vector<double>{20});
  EXPECT_EQ(LaunchTimeReader(store(), {.until = midnight}).span_of(series)->last, midnight - std::chrono::seconds(1));
}

TEST_F(StoreTest, launches_of_many_blobs_come_in_time_order_whatever_order_they_were_added_in) {
  constexpr int launches = 1300;  // three blobs
  std::vector<Contents> files;
  for (int i = 0; i < launches; ++i) {
    const int number = i * 701 % launches;
    files.push_back(contents_of(fmt::format("{}", number),
                                {launch_of(day(number), {row_of(fmt::format("run-{}", number), 10 + number)})}));
  }
  add(store(), files, "lab");
  const auto series = all_series(store()).front().id;
  const auto check = [&] {
    const auto found = launch_times(store(), series, {.cluster = "lab"});
    ASSERT_EQ(found.size(), static_cast<std::size_t>(launches));
    for (int i = 0; i < launches; ++i) {
      EXPECT_EQ(found[static_cast<std::size_t>(i)].time, day(i));
      EXPECT_NEAR(found[static_cast<std::size_t>(i)].time_us, 10 + i, 1e-9);
    }
    const auto span = LaunchTimeReader(store(), {.cluster = "lab", .since = day(100)}).span_of(series);
    ASSERT_TRUE(span);
    EXPECT_EQ(span->first, day(100));
    EXPECT_EQ(span->last, day(launches - 1));
  };
  check();
  EXPECT_EQ(store().database().execAndGet("SELECT count(*) FROM launch_times").getInt(), 3);
  derive_launch_times(store().database());
  check();
  forget(store(), {.before = day(1000)});
  EXPECT_EQ(launch_times(store(), series, {}).size(), 300U);
}

TEST_F(StoreTest, a_row_that_came_later_counts_for_a_launch_in_a_full_blob) {
  const std::vector<double> times_us(600, 10);
  add_daily(times_us);
  add(store(), contents_of("day 3, later", {launch_of(day(3), {row_of("run-3", 10), row_of("run-3", 40)})}), "lab");
  const auto launches = launch_times(store(), all_series(store()).front().id, {});
  ASSERT_EQ(launches.size(), 600U);
  EXPECT_NEAR(launches[3].time_us, 20, 1e-9);
}

TEST_F(StoreTest, forgetting_one_cluster_keeps_the_other_s_launches_of_the_same_days) {
  add(store(), contents_of("a", {launch_of(day(1), {row_of("a", 20)})}), "lab");
  add(store(), contents_of("b", {launch_of(day(1), {row_of("b", 30)})}), "cloud");
  forget(store(), {.cluster = "lab"});
  const auto launches = launch_times(store(), all_series(store()).front().id, {});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches.front().time_us, 30);
}

TEST_F(StoreTest, blobs_keep_their_layout) {
  add(store(),
      contents_of("a", {launch_of(std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)), {row_of("a", 1.5)})}),
      "lab");
  EXPECT_EQ(store().database().execAndGet("SELECT hex(times) FROM launch_times").getString(),
            "010000000000000000F1536500000000000000000000F83F");
}

/// How stores of earlier versions differ.
class OlderStore : public StoreTest, public testing::WithParamInterface<const char*> {};

TEST_P(OlderStore, derives_launch_times) {
  for (int number = 0; number < 10; ++number) {
    const auto run = fmt::format("run-{}", number);
    const std::vector<StoredRow> rows{row_of(run, 10), row_of(run, 20 + number), row_of(run, 50, 4096)};
    add(store(), contents_of(run, {launch_of(day(number), rows)}), number % 3 == 0 ? "cloud" : "lab");
  }
  const auto all = [&] {
    std::vector<LaunchTime> times;
    for (const auto& series : all_series(store())) {
      for (const auto* cluster : {"lab", "cloud"}) {
        const auto some = launch_times(store(), series.id, {.cluster = cluster});
        times.insert(times.end(), some.begin(), some.end());
      }
    }
    return times;
  };
  const auto before = all();
  ASSERT_EQ(before.size(), 20U);
  store().database().exec(GetParam());
  close();
  const auto after = all();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].launch, before[i].launch);
    EXPECT_EQ(after[i].time, before[i].time);
    EXPECT_EQ(after[i].time_us, before[i].time_us);
  }
}

INSTANTIATE_TEST_SUITE_P(OfVersion, OlderStore, testing::Values("DROP TABLE launch_times; PRAGMA user_version = 1", R"(
    DROP TABLE launch_times;
    CREATE TABLE launch_time(series_id INTEGER NOT NULL, cluster TEXT NOT NULL, time INTEGER NOT NULL,
      launch_id INTEGER NOT NULL, time_us REAL NOT NULL,
      PRIMARY KEY(series_id, cluster, time, launch_id)) WITHOUT ROWID;
    INSERT INTO launch_time SELECT 1, cluster, time, id, 99 FROM launch;
    PRAGMA user_version = 2)"));

}  // namespace
}  // namespace ringmark::history
