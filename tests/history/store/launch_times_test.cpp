#include "history/store/launch_times.hpp"

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

/// How stores of earlier versions differ.
class OlderStore : public StoreTest, public testing::WithParamInterface<const char*> {};

TEST_P(OlderStore, derives_launch_times) {
  add_daily({10, 11, 12});
  const auto series = all_series(store()).front().id;
  const auto before = launch_times(store(), series, {});
  store().database().exec(GetParam());
  close();
  const auto after = launch_times(store(), series, {});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].launch, before[i].launch);
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
