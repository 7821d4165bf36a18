#include "history/store/launch_times.hpp"

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

TEST_F(StoreTest, a_store_from_before_launch_times_derives_them) {
  add_daily({10, 11, 12});
  const auto series = all_series(store()).front().id;
  const auto before = launch_times(store(), series, {});
  store().database().exec("DROP TABLE launch_time; PRAGMA user_version = 1");
  close();
  const auto after = launch_times(store(), series, {});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].launch, before[i].launch);
    EXPECT_EQ(after[i].time_us, before[i].time_us);
  }
}

}  // namespace
}  // namespace ringmark::history
