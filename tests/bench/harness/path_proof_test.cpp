#include "bench/harness/path_proof.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

constexpr std::size_t count = 100;  // of bytes, in NCCL's meaning

double least(Collective collective, const std::vector<std::string>& hosts, int rank = 0) {
  return least_sent_bytes({collective, DataType::uint8, ReduceOp::sum, count, 0}, hosts, rank);
}

const std::vector<std::string> four{"a", "b", "c", "d"}, two_on_each{"a", "a", "b", "b"};

/// Whatever the algorithm: what a host has, and others need.
TEST(LeastSentBytes, are_what_others_cannot_know_otherwise) {
  EXPECT_EQ(least(Collective::all_reduce, four), 100) << "every element elsewhere depends on this host's";
  EXPECT_EQ(least(Collective::reduce_scatter, four), 300) << "its part of each other rank's block";
  EXPECT_EQ(least(Collective::all_gather, four), 100) << "its block";
  EXPECT_EQ(least(Collective::all_to_all, four), 300);
  EXPECT_EQ(least(Collective::reduce, four, 1), 100);
  EXPECT_EQ(least(Collective::reduce, four, 0), 0) << "the root keeps it";
  EXPECT_EQ(least(Collective::broadcast, four, 0), 100);
  EXPECT_EQ(least(Collective::broadcast, four, 1), 0);
}

TEST(LeastSentBytes, of_ranks_on_one_host_are_shared_by_them) {
  EXPECT_EQ(least(Collective::all_reduce, two_on_each), 50);
  EXPECT_EQ(least(Collective::reduce_scatter, two_on_each), 100) << "what the host adds to the two other blocks";
  EXPECT_EQ(least(Collective::all_gather, two_on_each), 100) << "each its block";
  EXPECT_EQ(least(Collective::reduce, two_on_each, 2), 50);
  EXPECT_EQ(least(Collective::reduce, two_on_each, 1), 0) << "on the root's host";
}

TEST(CountHosts, counts_the_hosts_of_some_ranks_alone) {
  EXPECT_EQ(count_hosts(two_on_each, std::vector<int>{0, 1}), 1);
  EXPECT_EQ(count_hosts(two_on_each, std::vector<int>{1, 2, 3}), 2);
  EXPECT_EQ(count_hosts(two_on_each, {}), 0);
}

TEST(LeastSentBytes, of_one_rank_are_none) { EXPECT_EQ(least(Collective::all_reduce, {"a"}), 0); }

}  // namespace
}  // namespace ringmark
