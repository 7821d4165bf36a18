#include "bench/mix/mix_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/errors.hpp"

namespace ringmark::mix {
namespace {

std::string mix_file(const std::string& text) {
  auto path = testing::TempDir() + "ringmark-mix-" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(MixFile, has_operations_congestors_and_links) {
  const auto mix = read_mix(mix_file(R"(
groups:
  - {name: tensor, ranks: 0-3, operation: all_reduce, size: 4M, datatype: bfloat16, op: max}
  - {name: experts, ranks: "4,6,5", operation: all_to_all, size: 1M, counts: "skew:1", transport: mpi}
  - {ranks: 50%, congestor: incast, to: 1, size: 64K}
  - {name: all, ranks: all, operation: broadcast, root: 3, size: 1K}
links:
  - {name: uplink, hosts: [a, b], rate: 80mbit}
host-link: 1gbit
)"));
  ASSERT_EQ(mix.groups.size(), 4U);
  EXPECT_EQ(mix.groups[0].operation(),
            (Operation{Collective::all_reduce, DataType::bfloat16, ReduceOp::max, (4 << 20) / 2}));
  EXPECT_EQ(mix.groups[1].ranks, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(mix.groups[1].transport, Transport::mpi);
  EXPECT_FALSE(mix.groups[0].transport);
  EXPECT_EQ(mix.groups[2].name, "group2");
  EXPECT_TRUE(mix.groups[2].is_congestor);
  EXPECT_EQ(mix.groups[2].counts, CountsChoice(IncastCounts{1}));
  EXPECT_EQ(mix.groups[2].share, 0.5);
  EXPECT_EQ(mix.groups[3].share, 1);
  EXPECT_EQ(mix.groups[3].root, 3);
  ASSERT_EQ(mix.links.size(), 1U);
  EXPECT_DOUBLE_EQ(mix.links[0].bytes_per_s, 10e6);
  EXPECT_EQ(mix.host_bits_per_s, 1e9);
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

TEST(BitRate, has_units) {
  EXPECT_EQ(parse_bit_rate("2.5gbit"), 2.5e9);
  EXPECT_EQ(parse_bit_rate("500"), 500);
  EXPECT_FALSE(parse_bit_rate("fast"));
  EXPECT_FALSE(parse_bit_rate("-1mbit"));
}

}  // namespace
}  // namespace ringmark::mix
