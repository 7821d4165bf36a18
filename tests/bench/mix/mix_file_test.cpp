#include "bench/mix/mix_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/errors.hpp"

namespace ringmark::mix {
namespace {

std::string mix_file(const std::string& text) {
  const auto path = testing::TempDir() + "ringmark-mix-" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(MixFile, has_operations_congestors_and_links) {
  const auto mix = read_mix(mix_file(R"(
groups:
  - {name: tensor, ranks: 0-3, operation: all_reduce, size: 4M, datatype: bfloat16, op: max}
  - {name: experts, ranks: "4,6,5", operation: all_to_all, size: 1M, counts: "skew:1", transport: mpi}
  - {ranks: 50%, congestor: incast, to: 1, size: 64K}
links:
  - {name: uplink, hosts: [a, b], rate: 80mbit}
host-link: 1gbit
)"));
  ASSERT_EQ(mix.groups.size(), 3U);
  EXPECT_EQ(mix.groups[0].operation(),
            (Operation{Collective::all_reduce, DataType::bfloat16, ReduceOp::max, (4 << 20) / 2}));
  EXPECT_EQ(mix.groups[1].ranks, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(mix.groups[1].transport, Transport::mpi);
  EXPECT_FALSE(mix.groups[0].transport);
  EXPECT_EQ(mix.groups[2].name, "group2");
  EXPECT_TRUE(mix.groups[2].is_congestor);
  EXPECT_EQ(mix.groups[2].counts, CountsChoice(IncastCounts{1}));
  ASSERT_EQ(mix.links.size(), 1U);
  EXPECT_DOUBLE_EQ(mix.links[0].bytes_per_s, 10e6);
  EXPECT_EQ(mix.host_bits_per_s, 1e9);
}

TEST(MixFile, shares_are_drawn_among_ranks_that_no_group_names) {
  const auto mix =
      read_mix(mix_file("groups:\n"
                        "  - {name: a, ranks: 0-1, operation: all_gather, size: 1K}\n"
                        "  - {name: b, ranks: 25%, congestor: permutation, size: 1K}\n"
                        "  - {name: c, ranks: 25%, congestor: all_to_all, size: 1K}\n"
                        "  - {name: all, ranks: all, operation: all_reduce, size: 1K}\n"));
  const auto groups = groups_for(mix, 12, 5);
  EXPECT_EQ(groups[1].ranks.size(), 3U);
  EXPECT_EQ(groups[2].ranks.size(), 3U);
  EXPECT_EQ(groups[3].ranks.size(), 12U);
  for (const int rank : groups[1].ranks) {
    EXPECT_GT(rank, 1);
    EXPECT_FALSE(groups[2].has(rank));
  }
  EXPECT_EQ(groups_for(mix, 12, 5)[1].ranks, groups[1].ranks);
  EXPECT_THROW(groups_for(mix, 4, 5), BadUsage);  // a group of one rank
}

TEST(MixFile, tells_all_problems_with_their_lines) {
  try {
    read_mix(
        mix_file("groups:\n"
                 "  - {name: a, ranks: 0-1, operation: all_together, size: 1K}\n"
                 "  - {name: a, ranks: x, operation: all_reduce, size: 1K, counts: uniform}\n"
                 "  - {ranks: 0-1, congestor: permutation, to: 3}\n"
                 "linkz: 3\n"));
    FAIL() << "was accepted";
  } catch (const BadUsage& error) {
    std::vector<int> lines;
    for (const auto& problem : error.problems()) lines.push_back(problem.place.value().line);
    for (const int line : {2, 3, 4, 5}) EXPECT_EQ(std::count(lines.begin(), lines.end(), line) > 0, true) << line;
    EXPECT_EQ(lines.size(), 7U);  // operation; name, ranks, counts; to, size; key
  }
}

TEST(MixFile, refuses_groups_that_cannot_be) {
  const auto refused = [](const std::string& group, int ranks) {
    try {
      groups_for(read_mix(mix_file("groups: [" + group + "]\n")), ranks, 1);
    } catch (const BadUsage&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused("{ranks: 0-3, operation: broadcast, root: 3, size: 1K}", 4));
  EXPECT_TRUE(refused("{ranks: 0-3, operation: broadcast, root: 4, size: 1K}", 4));
  EXPECT_TRUE(refused("{ranks: 0-3, operation: broadcast, size: 1K}", 3));
  EXPECT_TRUE(refused("{ranks: 0-3, congestor: incast, to: 4, size: 1K}", 4));
  EXPECT_TRUE(refused("{ranks: 0-3, operation: all_to_all, size: 8}", 4));
}

TEST(MixFile, refuses_two_groups_on_the_gpu_of_a_rank) {
  const auto refused = [](std::vector<int> first, std::vector<int> second, Transport transport) {
    MixGroup one, two;
    one.ranks = std::move(first);
    one.transport = Transport::nccl;
    two.ranks = std::move(second);
    two.transport = transport;
    try {
      refuse_groups_that_share_a_gpu({one, two});
    } catch (const BadUsage& error) {
      EXPECT_EQ(error.problems().front().flag, "ranks");
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused({0, 1, 2}, {2, 3}, Transport::nccl));
  EXPECT_FALSE(refused({0, 1}, {2, 3}, Transport::nccl));
  EXPECT_FALSE(refused({0, 1, 2}, {2, 3}, Transport::tcp));
}

TEST(BitRate, has_units) {
  EXPECT_EQ(parse_bit_rate("2.5gbit"), 2.5e9);
  EXPECT_EQ(parse_bit_rate("500"), 500);
  EXPECT_FALSE(parse_bit_rate("fast"));
  EXPECT_FALSE(parse_bit_rate("-1mbit"));
}

}  // namespace
}  // namespace ringmark::mix
