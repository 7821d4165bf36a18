#include "history/answers/events.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

/// So that the noise of the test's one seed is no event.
const ChangeOptions strict{.false_alarms_per_year = 0.01};

/// Three sizes a day over 80 days; `factor` of a day and size.
void add_days(Store& store, const std::function<double(int number, std::uint64_t size)>& factor) {
  std::mt19937_64 random(7);
  std::normal_distribution noise(0.0, 0.01);
  for (int number = 0; number < 80; ++number) {
    std::vector<StoredRow> rows;
    for (const std::uint64_t size : {1024U, 2048U, 4096U}) {
      auto& row = rows.emplace_back(row_of(fmt::format("run-{}", number), 10, size)).record;
      *row.time_us_p50 *= factor(number, size) * std::exp(noise(random));
      row.settings.others["driver_version"] = number < 40 ? "570" : "580";
    }
    add(store, contents_of(fmt::format("day-{}", number), {launch_of(day(number), rows)}), "lab");
  }
}

TEST_F(StoreTest, series_that_change_in_the_same_night_are_one_event_with_its_cause) {
  add_days(store(), [](int number, std::uint64_t size) { return number >= 40 && size < 4096 ? 1.1 : 1.0; });
  const auto chains = chains_of(store(), all_series(store()), {});
  const auto events = events_of(store(), chains, {}, strict);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].is_slower());
  EXPECT_EQ(events[0].changes.size(), 2U);
  EXPECT_NEAR(std::chrono::duration<double>(events[0].first_after - day(40)).count(), 0, 86400.0);
  ASSERT_EQ(events[0].causes.size(), 1U);
  EXPECT_EQ(events[0].causes[0].cause, (Cause{"driver_version", "570", "580"}));
  EXPECT_EQ(events[0].causes[0].series, 2U);
  for (const auto& each : events[0].changes) EXPECT_NEAR(each.change.ratio, 1.1, 0.02);
}

TEST_F(StoreTest, a_cause_that_files_of_another_tool_do_not_record_is_told_with_the_number_of_its_series) {
  for (int number = 0; number < 80; ++number) {
    std::vector<StoredRow> rows;
    for (const std::uint64_t size : {1024U, 2048U, 4096U}) {
      auto& row = rows.emplace_back(row_of(fmt::format("run-{}", number), 10 + 0.01 * (number % 3), size)).record;
      if (number >= 40) *row.time_us_p50 *= 1.1;
      if (size > 1024) row.settings.others["nccl_version"] = number < 40 ? "2.27.3" : "2.28.9";
    }
    for (auto& row : rows) row.record.run_id += fmt::format("-{}", row.record.size_bytes);
    for (const auto& row : rows) add(store(), contents_of(row.record.run_id, {launch_of(day(number), {row})}), "lab");
  }
  const auto events = events_of(store(), chains_of(store(), all_series(store()), {}), {}, strict);
  ASSERT_EQ(events.size(), 1U);
  ASSERT_EQ(events[0].causes.size(), 1U);
  EXPECT_EQ(events[0].causes[0].cause, (Cause{"nccl_version", "2.27.3", "2.28.9"}));
  EXPECT_EQ(events[0].causes[0].series, 2U);
}

TEST_F(StoreTest, a_drift_whose_beginnings_are_found_days_apart_is_one_event) {
  add_days(store(), [](int number, std::uint64_t size) {
    const int begin = size == 1024 ? 40 : size == 2048 ? 42 : 45;
    return number < begin ? 1.0 : 1 + 0.002 * (number - begin);
  });
  const auto events = events_of(store(), chains_of(store(), all_series(store()), {}), {}, strict);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].changes.size(), 3U);
}

TEST_F(StoreTest, changes_in_two_directions_are_two_events) {
  add_days(store(), [](int number, std::uint64_t size) { return number < 40 ? 1 : size == 1024 ? 1.1 : 1 / 1.1; });
  const auto events = events_of(store(), chains_of(store(), all_series(store()), {}), {}, strict);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_NE(events[0].is_slower(), events[1].is_slower());
}

TEST_F(StoreTest, a_quiet_cluster_has_no_event) {
  add_days(store(), [](int, std::uint64_t) { return 1.0; });
  EXPECT_TRUE(events_of(store(), chains_of(store(), all_series(store()), {}), {}, strict).empty());
}

}  // namespace
}  // namespace ringmark::history
