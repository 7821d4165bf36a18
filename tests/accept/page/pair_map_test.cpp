#include "accept/page/pair_map.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::accept {
namespace {

using Json = nlohmann::ordered_json;

/// Three leaves of three hosts, all pairs at 10 GB/s but for those that `is_slow` says are at half.
template <class IsSlow>
PairMap three_leaves(const IsSlow& is_slow) {
  PairMap map{{{"a", "b", "c", "d", "e", "f", "g", "h", "i"},
               {{"leaf1", {0, 1, 2}}, {"leaf2", {3, 4, 5}}, {"leaf3", {6, 7, 8}}},
               2,
               1},
              {}};
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t to = 0; to < 9; ++to) {
      if (from != to) map.rates.push_back({from, to, is_slow(from, to) ? 5.0 : 10.0});
    }
  }
  return map;
}

std::size_t blamed_cells(const Json& between) {
  std::size_t count = 0;
  for (const auto& row : between["rates"]) {
    for (const auto& cell : row) count += cell["is_blamed"] == true ? 1 : 0;
  }
  return count;
}

TEST(PairMap, a_slow_host_is_marked_and_shows_between_leaves) {
  const auto map = three_leaves([](auto from, auto to) { return from == 4 || to == 4; });
  const auto json = pair_map_json(map, {{"e", {"e"}, "50 %"}});
  EXPECT_EQ(json["marked"].size(), 16U);
  for (const auto& pair : json["marked"]) EXPECT_TRUE(pair[0] == 4 || pair[1] == 4) << pair;
  const auto& leaves = json["between"][0];
  const auto& cell = leaves["rates"][0][1];
  EXPECT_EQ(cell["median"], 10) << "the median alone hides the host";
  EXPECT_EQ(cell["slowest"], 5);
  EXPECT_EQ(cell["to"], 4);
  EXPECT_EQ(blamed_cells(leaves), 5U) << "the row and the column of its leaf";
}

TEST(PairMap, of_a_slow_direction_only_the_one_that_is_slow_is_marked) {
  const auto map = three_leaves([](auto from, auto to) { return from == 1 && to == 7; });
  const auto json = pair_map_json(map, {{"b to h", {}, "50 %"}});
  EXPECT_EQ(json["marked"], (Json::array({Json::array({1, 7})})));
  const auto& rates = json["between"][0]["rates"];
  EXPECT_EQ(rates[0][2]["slowest"], 5);
  EXPECT_EQ(rates[0][2]["from"], 1);
  EXPECT_EQ(rates[2][0]["slowest"], 10);
  EXPECT_EQ(blamed_cells(json["between"][0]), 1U);
}

TEST(PairMap, sending_of_a_host_is_a_row) {
  const auto map = three_leaves([](auto from, auto) { return from == 8; });
  const auto json = pair_map_json(map, {{"sending of i", {"i"}, "50 %"}});
  EXPECT_EQ(json["marked"].size(), 8U);
  for (const auto& pair : json["marked"]) EXPECT_EQ(pair[0], 8);
}

TEST(PairMap, of_a_healthy_cluster_has_no_marks) {
  const auto json = pair_map_json(three_leaves([](auto, auto) { return false; }), {});
  EXPECT_TRUE(json["marked"].empty());
  EXPECT_EQ(blamed_cells(json["between"][0]), 0U);
  EXPECT_EQ(json["pairs"].size(), 72U);
}

TEST(PairMap, hosts_behind_no_leaf_are_a_group_of_their_own) {
  auto map = three_leaves([](auto, auto) { return false; });
  map.fabric.leaves.pop_back();
  const auto json = pair_map_json(map, {});
  EXPECT_EQ(json["between"][0]["names"].size(), 3U);
  EXPECT_EQ(json["orders"][0]["groups"][2]["count"], 3);
}

}  // namespace
}  // namespace ringmark::accept
