#include "history/answers/fleets.hpp"

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

StoredRow link(const std::string& run, const std::string& from, const std::string& to, double time_us) {
  auto row = row_of(run, time_us);
  row.record.schema = Schema::link;
  row.record.collective = Workload(LinkTest::bandwidth);
  row.record.link = LinkEnds{0, 1};
  row.record.settings.hosts.clear();
  row.record.settings.src_host = from;
  row.record.settings.dst_host = to;
  return row;
}

TEST_F(StoreTest, a_host_has_a_value_for_each_launch_of_its_links) {
  for (int number = 0; number < 3; ++number) {
    const auto run = fmt::format("run-{}", number);
    const double slow = number == 2 ? 4 : 1;
    add(store(),
        contents_of(run, {launch_of(day(number), {link(run, "a", "b", 10), link(run, "b", "c", 20 * slow),
                                                  link(run, "c", "a", 30 * slow)})}),
        "lab");
  }
  const auto fleets = fleets_of(store(), all_series(store()), {});
  ASSERT_EQ(fleets.size(), 1U);
  ASSERT_EQ(fleets[0].hosts.size(), 3U);
  const auto& c = fleets[0].hosts[2];
  EXPECT_EQ(c.host, "c");
  ASSERT_EQ(c.points.size(), 3U);
  EXPECT_NEAR(c.points[0].value, 1, 1e-9);
  EXPECT_NEAR(c.points[2].value, 4, 1e-9);
  EXPECT_NEAR(fleets[0].hosts[0].points[2].value, 2, 1e-9);
}

TEST_F(StoreTest, launches_of_the_same_hosts_do_not_tell_them_apart) {
  add_daily({10, 11, 12});
  EXPECT_TRUE(fleets_of(store(), all_series(store()), {}).empty());
}

TEST_F(StoreTest, launches_of_changing_hosts_do) {
  add_daily({10, 11, 12}, [](Record& row, int number) { row.settings.hosts = fmt::format("a,node{}", number); });
  const auto fleets = fleets_of(store(), all_series(store()), {});
  ASSERT_EQ(fleets.size(), 1U);
  EXPECT_EQ(fleets[0].hosts.size(), 4U);
}

}  // namespace
}  // namespace ringmark::history
