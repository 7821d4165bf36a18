#include "history/store/query.hpp"

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

std::vector<double> times_us(const std::vector<LaunchTime>& launches) {
  std::vector<double> times;
  for (const auto& launch : launches) times.push_back(launch.time_us);
  return times;
}

TEST_F(StoreTest, launches_have_one_time_each_in_time_order) {
  add(store(), contents_of("late", {launch_of(day(5), {row_of("b", 10), row_of("b", 40)})}), "lab");
  add(store(), contents_of("early", {launch_of(day(1), {row_of("a", 30)})}), "lab");
  const auto series = all_series(store());
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series.front().row.record.algorithm, "ring");
  const auto launches = launch_times(store(), series.front().id, {});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].time_us, 30);
  EXPECT_NEAR(launches[1].time_us, 20, 1e-9);
  EXPECT_EQ(launches.front().time, day(1));
}

TEST_F(StoreTest, rows_that_say_nothing_about_speed_do_not_count) {
  auto failed = row_of("a", 10), sliced = failed, doubtful = failed, good = failed;
  failed.record.status = Status::failed;
  sliced.record.time_sliced = 1;
  doubtful.record.caveats = {FasterThanLink{130}, SharedGpu{}};
  good.record.caveats = {FasterThanLink{130}};
  good.record.time_us_p50 = 15;
  add(store(), contents_of("a", {launch_of(day(0), {failed, sliced, doubtful, good})}), "lab");
  EXPECT_EQ(times_us(launch_times(store(), all_series(store()).front().id, {})), std::vector<double>{15});
}

TEST_F(StoreTest, launches_are_selected_by_cluster_host_and_time) {
  add_daily({10, 11, 12, 13}, [](Record& row, int number) {
    if (number == 2) row.settings.hosts = "node[7-8]*2";
  });
  add(store(), contents_of("other", {launch_of(day(1), {row_of("other", 50)})}), "cloud");
  const auto series = all_series(store()).front().id;
  EXPECT_EQ(times_us(launch_times(store(), series, {.cluster = "cloud"})), std::vector<double>{50});
  EXPECT_EQ(times_us(launch_times(store(), series, {.host = "node7"})), std::vector<double>{12});
  EXPECT_EQ(times_us(launch_times(store(), series, {.cluster = "lab", .since = day(1), .until = day(3)})),
            (std::vector<double>{11, 12}));
  EXPECT_EQ(latest_launch(store(), {.cluster = "cloud"}), day(1));
  EXPECT_EQ(latest_launch(store(), {.cluster = "none"}), std::nullopt);
  EXPECT_THAT(clusters_in(store()), testing::ElementsAre(testing::Pair("cloud", 1), testing::Pair("lab", 4)));
}

TEST_F(StoreTest, hosts_have_their_first_and_last_launch) {
  add_daily({10, 11, 12}, [](Record& row, int number) { row.settings.hosts = fmt::format("a,node{}", number); });
  const auto spans = host_spans(store(), {});
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].host, "a");
  EXPECT_EQ(spans[0].first, day(0));
  EXPECT_EQ(spans[0].last, day(2));
  EXPECT_EQ(spans[2].first, day(1));
}

TEST_F(StoreTest, a_launch_has_its_versions) {
  add_daily({10}, [](Record& row, int) {
    row.settings.version = "0.1.0";
    row.settings.others["nccl_version"] = "2.28.9";
  });
  const auto launch = launch_times(store(), all_series(store()).front().id, {}).front().launch;
  EXPECT_THAT(facts_of_launch(store(), launch),
              testing::ElementsAre(testing::Pair("nccl_version", "2.28.9"), testing::Pair("version", "0.1.0")));
}

}  // namespace
}  // namespace ringmark::history
