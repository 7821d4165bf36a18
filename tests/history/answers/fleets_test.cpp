#include "history/answers/fleets.hpp"

#include <set>

#include <gmock/gmock.h>

#include "history/answers/odd_in_fleets.hpp"
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
  const auto fleets = Fleets(store(), all_series(store()), {}, Usual::of_series).all();
  ASSERT_EQ(fleets.size(), 1U);
  ASSERT_EQ(fleets[0].hosts.size(), 3U);
  const auto& c = fleets[0].hosts[2];
  EXPECT_EQ(c.host, "c");
  ASSERT_EQ(c.points.size(), 3U);
  EXPECT_NEAR(c.points[0].value, 1, 1e-9);
  EXPECT_NEAR(c.points[2].value, 4, 1e-9);
  EXPECT_NEAR(fleets[0].hosts[0].points[2].value, 2, 1e-9);
}

TEST_F(StoreTest, a_host_that_was_always_slow_is_slower_than_others_of_its_case) {
  for (int number = 0; number < 3; ++number) {
    const auto run = fmt::format("run-{}", number);
    add(store(),
        contents_of(run,
                    {launch_of(day(number), {link(run, "a", "b", 10), link(run, "b", "c", 12), link(run, "c", "a", 12),
                                             link(run, "a", "d", 10), link(run, "b", "d", 10)})}),
        "lab");
  }
  const auto fleets = Fleets(store(), all_series(store()), {}, Usual::of_case).all();
  ASSERT_EQ(fleets.size(), 1U);
  EXPECT_EQ(fleets[0].hosts[2].host, "c");
  EXPECT_NEAR(fleets[0].hosts[2].points[0].value, 1.2, 1e-9);
  EXPECT_NEAR(fleets[0].hosts[3].points[0].value, 1, 1e-9);
}

/// Links of a night with `slow` times for those of host c from night 20 on.
void add_nights(Store& store, const std::vector<std::pair<std::string, std::string>>& links) {
  for (int number = 0; number < 40; ++number) {
    const auto run = fmt::format("run-{}", number);
    std::vector<StoredRow> rows;
    for (const auto& [from, to] : links) {
      const bool is_slow = number >= 20 && (from == "c" || to == "c");
      rows.push_back(link(run, from, to, (is_slow ? 12 : 10) + 0.01 * (number % 3)));
    }
    add(store, contents_of(run, {launch_of(day(number), rows)}), "lab");
  }
}

TEST_F(StoreTest, neighbours_of_an_odd_host_are_not_odd) {
  add_nights(store(), {{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "e"}, {"e", "f"}, {"f", "g"}, {"g", "h"}, {"h", "a"}});
  const auto found = odd_in_fleets(Fleets(store(), all_series(store()), {}, Usual::of_series), {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().host.host, "c");
  EXPECT_NEAR(found->front().host.ratio, 1.2, 0.01);
  EXPECT_EQ(found->front().or_host, "");
}

TEST_F(StoreTest, a_host_is_as_slow_as_its_links_where_all_pairs_are_measured) {
  std::vector<std::pair<std::string, std::string>> links;
  for (char from = 'a'; from <= 'e'; ++from) {
    for (char to = static_cast<char>(from + 1); to <= 'e'; ++to)
      links.emplace_back(std::string(1, from), std::string(1, to));
  }
  add_nights(store(), links);
  const auto found = odd_in_fleets(Fleets(store(), all_series(store()), {}, Usual::of_series), {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  const auto& odd = found->front().host;
  EXPECT_EQ(odd.host, "c");
  EXPECT_NEAR(odd.ratio, 1.2, 0.002);
  EXPECT_LE(odd.interval.low, odd.ratio);
  EXPECT_GE(odd.interval.high, odd.ratio);
}

TEST_F(StoreTest, several_odd_hosts_are_each_as_slow_as_their_links_to_the_others) {
  const std::string hosts = "abcdefgh";
  for (int number = 0; number < 40; ++number) {
    std::vector<StoredRow> rows;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (std::size_t k = i + 1; k < hosts.size(); ++k) {
        const int slow_ends = (hosts[i] == 'c') + (hosts[i] == 'f') + (hosts[k] == 'f');
        const double slow = number >= 20 && slow_ends > 0 ? 1.1 : 1;
        const double noise = 1 + 0.002 * ((number * 7 + static_cast<int>(i * 3 + k * 5)) % 11);
        rows.push_back(
            link(fmt::format("run-{}", number), std::string(1, hosts[i]), std::string(1, hosts[k]), 10 * slow * noise));
        if (hosts[k] == 'c' && number >= 20 && slow_ends == 0) *rows.back().record.time_us_p50 *= 1.1;
      }
    }
    add(store(), contents_of(fmt::format("{}", number), {launch_of(day(number), rows)}), "lab");
  }
  const auto found = odd_in_fleets(Fleets(store(), all_series(store()), {}, Usual::of_series), {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  for (const auto& each : *found) EXPECT_NEAR(each.host.ratio, 1.1, 0.003) << each.host.host;
}

TEST_F(StoreTest, ends_of_an_only_link_are_odd_together) {
  add_nights(store(), {{"a", "b"}, {"c", "d"}, {"e", "f"}});
  const auto found = odd_in_fleets(Fleets(store(), all_series(store()), {}, Usual::of_series), {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(std::set<std::string>({found->front().host.host, found->front().or_host}),
            (std::set<std::string>{"c", "d"}));
}

TEST_F(StoreTest, launches_of_the_same_hosts_do_not_tell_them_apart) {
  add_daily({10, 11, 12});
  EXPECT_TRUE(Fleets(store(), all_series(store()), {}, Usual::of_series).all().empty());
}

TEST_F(StoreTest, launches_of_changing_hosts_do) {
  add_daily({10, 11, 12}, [](Record& row, int number) { row.settings.hosts = fmt::format("a,node{}", number); });
  const auto fleets = Fleets(store(), all_series(store()), {}, Usual::of_series).all();
  ASSERT_EQ(fleets.size(), 1U);
  EXPECT_EQ(fleets[0].hosts.size(), 4U);
}

}  // namespace
}  // namespace ringmark::history
