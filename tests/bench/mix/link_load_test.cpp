#include "bench/mix/link_load.hpp"

#include <gtest/gtest.h>

#include "tests/contract/rank_group.hpp"
#include "tests/contract/tcp_ranks.hpp"

namespace ringmark::mix {
namespace {

using namespace testing_support;
using Bytes = std::vector<std::vector<double>>;

/// Ranks 0 and 1 are a group on two hosts, ranks 2 and 3 another one; each rank sends 10 bytes and its number to each
/// other rank of its group. A rank `silent` does not tell.
std::vector<std::optional<Bytes>> of_two_groups(const std::vector<CutLink>& links, int silent = -1) {
  const std::vector<std::string> hosts{"a", "b", "b", "b"};
  std::vector<MixGroup> groups(2);
  groups[0].ranks = {0, 1};
  groups[1].ranks = {2, 3};
  const auto endpoints = tcp_endpoints(4, {});
  std::vector<std::optional<Bytes>> seen(4);
  in_threads(4, [&](int rank) {
    Control control(std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], 1),
                    std::chrono::seconds(30));
    const auto sent = [&](std::size_t group, const std::function<bool(int)>& crosses) -> std::optional<std::uint64_t> {
      if (rank == silent) return std::nullopt;
      std::uint64_t bytes = 0;
      for (int peer = 0; peer < 2; ++peer) {
        const int other = groups[group].ranks[static_cast<std::size_t>(peer)];
        const bool is_own = groups[group].ranks[0] <= rank && rank <= groups[group].ranks[1];
        if (is_own && other != rank && crosses(peer)) bytes += 10 + static_cast<std::uint64_t>(rank);
      }
      return bytes;
    };
    seen[static_cast<std::size_t>(rank)] = bytes_on_links(control, links, hosts, groups, sent);
    control.barrier();
  });
  return seen;
}

TEST(LinkLoad, has_each_groups_bytes_up_and_down_each_link_on_all_ranks) {
  const Bytes expected{{10, 11, 11, 10}, {0, 0, 0, 0}};
  for (const auto& seen : of_two_groups({{"to a", {"a"}, 1}, {"to b", {"b"}, 1}})) EXPECT_EQ(seen, expected);
}

TEST(LinkLoad, is_unknown_where_a_library_tells_nothing_and_without_links) {
  for (const auto& seen : of_two_groups({{"to a", {"a"}, 1}}, 1)) EXPECT_EQ(seen, std::nullopt);
  for (const auto& seen : of_two_groups({})) EXPECT_EQ(seen, std::nullopt);
}

}  // namespace
}  // namespace ringmark::mix
