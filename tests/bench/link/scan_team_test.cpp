#include "bench/link/scan_team.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "transports/bootstrap/local_bootstrap.hpp"

namespace ringmark {
namespace {

constexpr std::chrono::milliseconds timeout{2000};
constexpr int exit_after_all = 40, exit_with_failures = 41;

/// Rank 2 dies after its first message, rank 3 is silent from the third on.
int act_as_member(const std::shared_ptr<TcpEndpoint>& endpoint) {
  const int rank = endpoint->rank();
  ScanLine rank_0(endpoint, 0, timeout);
  for (int number = 1;; ++number) {
    const auto order = rank_0.wait();
    if (order == "end") return 0;
    if (rank == 2 && number == 2) ::_exit(0);
    if (rank != 3 || number < 3) rank_0.send(order + std::to_string(rank) + std::string(100'000, '.'));
  }
}

int act_as_rank_0(const std::shared_ptr<TcpEndpoint>& endpoint) {
  ScanTeam team(endpoint, timeout);
  const auto ask = [&](const std::string& order) {
    for (int rank = 1; rank < endpoint->size(); ++rank) team.tell(rank, order);
    return team.hear({{1, 2}, {3, 0}});
  };
  const auto first = ask("");
  EXPECT_EQ(first.size(), 3U);
  EXPECT_EQ(first.at(2).front(), '2');
  EXPECT_EQ(first.at(3).size(), 100'001U);
  const auto second = ask("again");
  EXPECT_EQ(second.size(), 2U) << "rank 2 is lost, and breaks nothing else";
  EXPECT_TRUE(team.is_lost(2));
  EXPECT_EQ(second.at(3).substr(0, 6), "again3");
  const auto third = ask("again");
  EXPECT_EQ(third.size(), 1U) << "rank 3 is there and says nothing: its partner's end starts the time-out";
  EXPECT_TRUE(team.is_lost(3));
  EXPECT_EQ(team.lost().size(), 2U);
  team.tell(1, "end");
  team.tell(2, "end");
  return testing::Test::HasFailure() ? exit_with_failures : exit_after_all;
}

TEST(ScanTeam, goes_on_without_ranks_that_are_lost) {
  const int status = run_local_ranks(
      4, std::chrono::seconds(20),
      [](Bootstrap& bootstrap) {
        const auto endpoint = TcpEndpoint::create(bootstrap, {});
        endpoint->keep_losses_apart();
        const int mine = bootstrap.rank() == 0 ? act_as_rank_0(endpoint) : act_as_member(endpoint);
        if (bootstrap.rank() < 2) bootstrap.finish(mine);
        return mine;
      },
      {}, std::chrono::seconds(20));
  EXPECT_EQ(status, exit_after_all);
}

/// Rank 0 is an end of no link, and hears neither end of this one.
int act_as_rank_0_of_silent_ranks(const std::shared_ptr<TcpEndpoint>& endpoint) {
  ScanTeam team(endpoint, std::chrono::milliseconds(500));
  EXPECT_TRUE(team.hear({{1, 2}}).empty());
  EXPECT_EQ(team.lost().size(), 2U);
  return testing::Test::HasFailure() ? exit_with_failures : exit_after_all;
}

TEST(ScanTeam, does_not_wait_for_a_link_whose_ends_are_both_silent) {
  const int status = run_local_ranks(3, std::chrono::seconds(20), [](Bootstrap& bootstrap) {
    const auto endpoint = TcpEndpoint::create(bootstrap, {});
    endpoint->keep_losses_apart();
    if (bootstrap.rank() == 0) return act_as_rank_0_of_silent_ranks(endpoint);
    ScanLine rank_0(endpoint, 0, timeout);
    std::this_thread::sleep_for(std::chrono::seconds(4));  // answers nobody
    return 0;
  });
  EXPECT_EQ(status, exit_after_all);
}

}  // namespace
}  // namespace ringmark
