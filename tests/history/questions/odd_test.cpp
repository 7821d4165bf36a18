#include "history/questions/odd.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

/// Eight hosts of different levels that share the noise of a night. `shift` is of a host on a day.
std::vector<HostSeries> fleet(int days, const std::function<double(int, int)>& shift) {
  constexpr int hosts = 8;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<HostSeries> found;
  for (int i = 0; i < hosts; ++i) found.push_back({fmt::format("node{}", i), {}});
  for (int at = 0; at < days; ++at) {
    const double night = 0.05 * normal(random);
    for (int i = 0; i < hosts; ++i) {
      const double level = std::log(100 + 5 * i) + night + 0.01 * normal(random) + shift(i, at);
      found[static_cast<std::size_t>(i)].points.push_back({day(at) + std::chrono::minutes(i), std::exp(level)});
    }
  }
  return found;
}

TEST(Odd, names_the_host_that_leaves_its_fleet) {
  const auto odd = odd_hosts(fleet(120, [](int i, int at) { return i == 3 && at >= 70 ? std::log(1.06) : 0; }), {});
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd.front().host, "node3");
  EXPECT_EQ(odd.front().kind, Change::Kind::step);
  EXPECT_NEAR(odd.front().ratio, 1.06, 0.01);
  EXPECT_GE(odd.front().since, day(69));
  EXPECT_LE(odd.front().since, day(72));
  EXPECT_LT(odd.front().p, 1e-3);
  EXPECT_LT(odd.front().interval.low, odd.front().ratio);
}

TEST(Odd, puts_the_largest_change_first) {
  const auto odd = odd_hosts(fleet(120,
                                   [](int i, int at) {
                                     if (i == 2) return at >= 60 ? std::log(1.05) : 0;
                                     return i == 6 && at >= 80 ? std::log(0.9) : 0;
                                   }),
                             {});
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].host, "node6");
  EXPECT_EQ(odd[1].host, "node2");
}

TEST(Odd, has_an_interval_of_all_its_changes_together) {
  const auto twice = [](int i, int at) { return i == 3 ? std::log(at < 50 ? 1 : at < 100 ? 1.06 : 1.15) : 0; };
  const auto odd = odd_hosts(fleet(150, twice), {});
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_NEAR(odd.front().ratio, 1.15, 0.015);
  EXPECT_LT(odd.front().interval.low, odd.front().ratio);
  EXPECT_GT(odd.front().interval.high, odd.front().ratio);
  EXPECT_LT(odd.front().interval.high - odd.front().interval.low, 0.05);
}

TEST(Odd, is_no_host_when_the_fleet_changes) {
  EXPECT_TRUE(odd_hosts(fleet(120, [](int, int at) { return at >= 60 ? std::log(1.2) : 0; }), {}).empty());
}

TEST(Odd, is_no_host_that_came_back) {
  const auto back = [](int i, int at) { return i == 3 && at >= 40 && at < 80 ? std::log(1.06) : 0; };
  EXPECT_EQ(odd_hosts(fleet(78, back), {}).size(), 1u);
  EXPECT_TRUE(odd_hosts(fleet(140, back), {}).empty());
}

TEST(Odd, needs_three_hosts_at_a_time) {
  auto hosts = fleet(120, [](int i, int at) { return i == 0 && at >= 70 ? std::log(1.06) : 0; });
  hosts.resize(3);
  EXPECT_EQ(odd_hosts(hosts, {}).size(), 1u);
  hosts.resize(2);
  EXPECT_TRUE(odd_hosts(hosts, {}).empty());
  EXPECT_TRUE(odd_hosts({}, {}).empty());
}

TEST(Odd, is_no_host_that_joined_after_a_change_of_the_fleet) {
  auto hosts = fleet(120, [](int, int at) { return at >= 60 ? std::log(1.1) : 0; });
  for (const std::size_t late : {5u, 6u, 7u}) {
    auto& points = hosts[late].points;
    points.erase(points.begin(), points.begin() + 50 + static_cast<int>(late));
  }
  EXPECT_TRUE(odd_hosts(hosts, {}).empty());
}

}  // namespace
}  // namespace ringmark::history
