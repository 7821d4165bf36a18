#include "accept/judge/verdict.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/accept/simulated_fabric.hpp"

namespace ringmark::accept {
namespace {

double healthy(std::size_t /*from*/, std::size_t /*to*/) { return 1; }

/// Rounds until it is decided, as the stages take them.
Verdict verdict_on(const Fabric& fabric, const SimulatedFabric::Fault& fault, std::uint64_t seed,
                   std::optional<double> expected = {}, const Scatter& scatter = {}, std::size_t most_rounds = 20) {
  SimulatedFabric simulated(fabric, scatter, fault, seed);
  std::vector<Round> rounds;
  Verdict verdict;
  while (rounds.size() < most_rounds) {
    rounds.push_back(simulated.round());
    verdict = judge(fabric, rounds, {}, expected);
    if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
  }
  return verdict;
}

std::vector<std::string> names(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const auto& culprit : verdict.culprits) names.push_back(culprit.part.name);
  return names;
}

/// How many of the seeds give exactly these culprits.
int times_named(const Fabric& fabric, const SimulatedFabric::Fault& fault, const std::vector<std::string>& expected,
                int seeds) {
  int times = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    auto found = names(verdict_on(fabric, fault, static_cast<std::uint64_t>(seed)));
    std::sort(found.begin(), found.end());
    times += found == expected ? 1 : 0;
  }
  return times;
}

TEST(Verdict, of_a_healthy_cluster_is_a_pass) {
  for (const std::size_t hosts : {3U, 4U, 8U, 16U}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      EXPECT_EQ(verdict_on(fabric_of(hosts, 4), healthy, seed).outcome, Outcome::pass) << hosts << " " << seed;
  }
}

TEST(Verdict, names_a_slow_host_and_how_slow_it_is) {
  const auto fault = [](std::size_t from, std::size_t to) { return from == 2 || to == 2 ? 0.8 : 1; };
  for (const std::size_t hosts : {3U, 4U, 8U, 16U})
    EXPECT_GE(times_named(fabric_of(hosts, 4), fault, {"node2"}, 20), 19);
  const auto verdict = verdict_on(fabric_of(8), fault, 1);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_NEAR(verdict.culprits.at(0).ratio, 0.8, 0.04);
  EXPECT_EQ(verdict.culprits.at(0).part.hosts, (std::vector<std::size_t>{2}));
}

TEST(Verdict, tells_the_directions_of_a_host_apart) {
  const auto sends = [](std::size_t from, std::size_t /*to*/) { return from == 1 ? 0.8 : 1; };
  const auto receives = [](std::size_t /*from*/, std::size_t to) { return to == 1 ? 0.8 : 1; };
  EXPECT_GE(times_named(fabric_of(8), sends, {"sending of node1"}, 20), 19);
  EXPECT_GE(times_named(fabric_of(8), receives, {"receiving of node1"}, 20), 19);
}

TEST(Verdict, names_a_link_and_neither_of_its_ends) {
  const auto fault = [](std::size_t from, std::size_t to) { return from == 1 && to == 3 ? 0.7 : 1; };
  EXPECT_GE(times_named(fabric_of(8), fault, {"node1 to node3"}, 20), 19);
}

TEST(Verdict, names_the_uplinks_of_a_leaf_and_none_of_its_hosts) {
  const auto fault = [](std::size_t from, std::size_t to) { return (from / 4 == 1) != (to / 4 == 1) ? 0.5 : 1; };
  EXPECT_GE(times_named(fabric_of(16, 4), fault, {"uplinks of leaf1"}, 20), 19);
  EXPECT_GE(times_named(fabric_of(8, 4), fault, {"uplinks between leaf0 and leaf1"}, 20), 19);
}

TEST(Verdict, names_two_faults_at_once) {
  const auto fault = [](std::size_t from, std::size_t to) {
    return from == 2 || to == 2 ? 0.8 : from == 5 || to == 5 ? 0.7 : 1;
  };
  EXPECT_GE(times_named(fabric_of(12), fault, {"node2", "node5"}, 20), 18);
}

TEST(Verdict, passes_a_loss_that_does_not_matter) {
  const auto fault = [](std::size_t from, std::size_t to) { return from == 2 || to == 2 ? 0.98 : 1; };
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(verdict_on(fabric_of(8), fault, seed).outcome, Outcome::pass) << seed;
}

TEST(Verdict, is_undecided_where_the_scatter_hides_the_loss) {
  const Scatter rough{.of_rounds = 0.2, .of_parts = 0.05};
  const auto verdict = verdict_on(fabric_of(6), healthy, 3, {}, rough, 4);
  EXPECT_EQ(verdict.outcome, Outcome::undecided);
  EXPECT_FALSE(verdict.undecided.empty());
}

TEST(Verdict, needs_three_rounds) {
  EXPECT_EQ(verdict_on(fabric_of(6), healthy, 3, {}, {}, fewest_rounds - 1).outcome, Outcome::undecided);
}

TEST(Verdict, finds_by_an_expectation_that_everything_is_slow) {
  constexpr double simulated_GBps = 24;
  const Scatter scatter{.of_launches = 0.005};
  EXPECT_EQ(verdict_on(fabric_of(6), healthy, 3, simulated_GBps, scatter).outcome, Outcome::pass);
  const auto slow = verdict_on(fabric_of(6), healthy, 3, simulated_GBps / 0.75, scatter);
  EXPECT_EQ(slow.outcome, Outcome::fail);
  EXPECT_NEAR(slow.culprits.at(0).ratio, 0.75, 0.04);
}

}  // namespace
}  // namespace ringmark::accept
