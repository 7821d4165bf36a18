#include "history/page/history_page.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

class HistoryPageTest : public StoreTest {
 protected:
  nlohmann::json data() {
    return nlohmann::json::parse(history_page_data(store(), {"T", all_series(store()), {.cluster = "lab"}}));
  }
  /// Twelve sizes of 60 days, of which number `slower` becomes slower after 40.
  void add_sizes(std::uint64_t slower) {
    for (int number = 0; number < 60; ++number) {
      std::vector<StoredRow> rows;
      for (std::uint64_t size = 0; size < 12; ++size) {
        auto& row = rows.emplace_back(row_of(fmt::format("run-{}", number), 10 + 0.01 * (number % 3), 1024 << size));
        if (size == slower && number >= 40) *row.record.time_us_p50 *= 1.2;
        row.record.settings.hosts = number % 2 == 0 ? "node[1-2]*2" : "node[2-3]*2";
      }
      add(store(), contents_of(fmt::format("day-{}.csv", number), {launch_of(day(number), rows)}), "lab");
    }
  }
};

TEST_F(HistoryPageTest, has_the_worst_series_first_with_its_change) {
  add_sizes(7);
  const auto page = data();
  ASSERT_EQ(page.at("series").size(), 12U);
  const auto& worst = page.at("series").at(0);
  EXPECT_THAT(worst.at("name").get<std::string>(), testing::HasSubstr("128K"));
  EXPECT_EQ(worst.at("unit"), "GB/s bus");
  ASSERT_EQ(worst.at("changes").size(), 1U);
  EXPECT_EQ(worst.at("changes").at(0).at(0), day(40).time_since_epoch().count());
  EXPECT_TRUE(page.at("series").at(1).at("changes").empty());
  ASSERT_EQ(page.at("events").size(), 1U);
  EXPECT_EQ(page.at("events").at(0).at("series"), nlohmann::json::array({0}));
  EXPECT_THAT(page.at("headline").get<std::string>(), testing::HasSubstr("2026-02-10"));
}

TEST_F(HistoryPageTest, points_lead_to_their_launches) {
  add_sizes(7);
  const auto page = data();
  const auto& point = page.at("series").at(0).at("points").at(3);
  EXPECT_EQ(point.at(0), day(3).time_since_epoch().count());
  EXPECT_EQ(point.at(4), 1);
  const auto& launch = page.at("launches").at(point.at(5).get<std::size_t>());
  EXPECT_EQ(launch, nlohmann::json::array({"run-3", day(3).time_since_epoch().count(), "day-3.csv"}));
}

TEST_F(HistoryPageTest, many_launches_are_points_of_days_with_intervals) {
  add_daily(std::vector<double>(500, 10));
  const auto page = data();
  const auto& points = page.at("series").at(0).at("points");
  EXPECT_LE(points.size(), 120U);
  EXPECT_EQ(points.at(5).at(4), 7);
  EXPECT_EQ(points.at(5).at(2), points.at(5).at(1)) << "all launches took the same time";
}

TEST_F(HistoryPageTest, a_latest_launch_that_is_slower_than_normal_is_shown) {
  add_daily({10, 10, 10, 10.1, 10, 10, 30});
  const auto page = data();
  const auto& slower = page.at("series").at(0).at("slower");
  EXPECT_EQ(slower.at(0), day(6).time_since_epoch().count());
  EXPECT_THAT(page.at("headline").get<std::string>(), testing::HasSubstr("slower than normal"));
}

TEST_F(HistoryPageTest, hosts_are_percentages_of_the_fleet_by_week) {
  add_daily({10, 10, 20, 10, 10, 20, 10, 10, 20},
            [](Record& row, int number) { row.settings.hosts = fmt::format("node{}", number % 3); });
  const auto page = data();
  const auto& fleet = page.at("fleets").at(0);
  EXPECT_EQ(fleet.at("weeks").size(), 2U);
  EXPECT_EQ(fleet.at("weeks").at(0), day(-3).time_since_epoch().count()) << "a Monday";
  ASSERT_EQ(fleet.at("hosts").size(), 3U);
  EXPECT_EQ(fleet.at("hosts").at(0).at(0), "node2");
  EXPECT_EQ(fleet.at("hosts").at(0).at(1).at(0), 50);
  EXPECT_EQ(fleet.at("hosts").at(1).at(1).at(0), 100);
}

TEST_F(HistoryPageTest, nothing_selected_is_refused) {
  add_daily({10});
  EXPECT_THROW(history_page_data(store(), {"T", all_series(store()), {.cluster = "none"}}), BadUsage);
}

}  // namespace
}  // namespace ringmark::history
