#include "results/files/rank_hosts.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

using Names = std::vector<std::string>;

TEST(RankHosts, count_the_ranks_of_each_host_in_their_order) {
  EXPECT_EQ(rank_hosts_text({"n1", "n1", "n2", "n2", "n3"}), "n[1-2]*2,n3");
  EXPECT_EQ(rank_hosts_text({"a", "a", "b", "b"}), "a*2,b*2");
  EXPECT_EQ(rank_hosts_text({"n1", "n2", "n1", "n2"}), "n[1-2,1-2]");
  EXPECT_EQ(rank_hosts_text({"one"}), "one");
  EXPECT_EQ(parse_rank_hosts("node[01-02,07]*2,login"),
            (Names{"node01", "node01", "node02", "node02", "node07", "node07", "login"}));
}

TEST(RankHosts, are_short_for_a_large_cluster) {
  Names hosts;
  for (int rank = 0; rank < 4096; ++rank) hosts.push_back(fmt::format("gpu{:04}", rank / 8));
  EXPECT_EQ(rank_hosts_text(hosts), "gpu[0000-0511]*8");
  EXPECT_EQ(parse_rank_hosts("gpu[0000-0511]*8"), hosts);
}

TEST(RankHosts, survive_writing_and_reading) {
  std::mt19937 random(3);
  const Names names{"n1", "n2", "n3", "n10", "x", "r1-n08", "r1-n09", "r1-n10", "7"};
  for (int round = 0; round < 500; ++round) {
    Names hosts(random() % 9);
    for (auto& host : hosts) host = names[random() % names.size()];
    ASSERT_EQ(parse_rank_hosts(rank_hosts_text(hosts)), hosts) << rank_hosts_text(hosts);
  }
}

TEST(RankHosts, refuse_other_texts) {
  for (const char* text : {"n1*", "n1*0", "n1*x", "n1*2*3", "n[1-2", "n1,,n2", "n[1-9999]*99999999"})
    EXPECT_THROW(parse_rank_hosts(text), BadUsage) << text;
}

}  // namespace
}  // namespace ringmark
