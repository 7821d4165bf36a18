// How often ringmark-accept errs: the verdict on simulated fabrics with and without faults, beside a fixed threshold of
// 80 % on every pair. accept-trials [RUNS] [HOSTS] [HOSTS_PER_LEAF]; docs/ACCEPT.md shows what it printed.
#include <array>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "accept/verdict.hpp"
#include "tests/accept/simulated_fabric.hpp"

namespace {

using namespace ringmark::accept;

struct Case {
  std::string name;
  SimulatedFabric::Fault fault;
  std::set<std::string> culprits;
};

struct Place {
  std::size_t bad, other, hosts_per_leaf;
};

std::array<Case, 8> cases_at(const Fabric& fabric, const Place& place) {
  const auto bad = place.bad, other = place.other, per_leaf = place.hosts_per_leaf;
  const auto leaf = bad / per_leaf;
  const auto& node = fabric.hosts[bad];
  const auto& second = fabric.hosts[other];
  const auto is_end = [](std::size_t host, std::size_t from, std::size_t to) { return from == host || to == host; };
  return {Case{"none", [](auto, auto) { return 1.0; }, {}},
          Case{"host at 80 %", [=](auto from, auto to) { return is_end(bad, from, to) ? 0.8 : 1; }, {node}},
          Case{"host at 90 %", [=](auto from, auto to) { return is_end(bad, from, to) ? 0.9 : 1; }, {node}},
          Case{"sending at 80 %", [=](auto from, auto) { return from == bad ? 0.8 : 1; }, {"sending of " + node}},
          Case{"uplinks at half",
               [=](auto from, auto to) { return (from / per_leaf == leaf) != (to / per_leaf == leaf) ? 0.5 : 1; },
               {"uplinks of " + fabric.leaves[leaf].name}},
          Case{"link at 70 %",
               [=](auto from, auto to) { return from == bad && to == other ? 0.7 : 1; },
               {node + " to " + second}},
          Case{"two hosts",
               [=](auto from, auto to) { return is_end(bad, from, to)     ? 0.8
                                                : is_end(other, from, to) ? 0.7
                                                                          : 1; },
               {node, second}},
          Case{"host and uplinks",
               [=](auto from, auto to) {
                 const bool crosses = (from / per_leaf == leaf) != (to / per_leaf == leaf);
                 return std::min(crosses ? 0.5 : 1, is_end(other, from, to) ? 0.7 : 1);
               },
               {"uplinks of " + fabric.leaves[leaf].name, second}}};
}

struct Count {
  int pass = 0, fail = 0, undecided = 0, right = 0, by_threshold = 0, named_by_threshold = 0;
  std::size_t rounds = 0;
};

void judge_one(const Fabric& fabric, const Case& each, std::uint64_t seed, Count& count) {
  constexpr std::size_t most_rounds = 20;
  SimulatedFabric simulated(fabric, {}, each.fault, seed);
  std::vector<Round> rounds;
  Verdict verdict;
  while (rounds.size() < most_rounds) {
    rounds.push_back(simulated.round());
    verdict = judge(fabric, rounds, {}, std::nullopt);
    if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
  }
  count.rounds += rounds.size();
  ++(verdict.outcome == Outcome::pass ? count.pass : verdict.outcome == Outcome::fail ? count.fail : count.undecided);
  std::set<std::string> found;
  for (const auto& culprit : verdict.culprits) found.insert(culprit.part.name);
  count.right += found == each.culprits ? 1 : 0;
  // Others drain the hosts of every pair below 80 % of the mean in the first round.
  double mean = 0;
  for (const auto& pair : rounds.front()) mean += pair.GBps / static_cast<double>(rounds.front().size());
  std::set<std::size_t> drained;
  for (const auto& pair : rounds.front()) {
    if (pair.GBps < 0.8 * mean) drained.insert({pair.from, pair.to});
  }
  count.by_threshold += drained.empty() ? 0 : 1;
  count.named_by_threshold += static_cast<int>(drained.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  const int runs = argument(1, 20);
  const auto hosts = static_cast<std::size_t>(argument(2, 256)), per_leaf = static_cast<std::size_t>(argument(3, 16));
  const auto fabric = fabric_of(hosts, per_leaf);
  fmt::print("{} runs of each case, {} hosts, {} leaves\n", runs, hosts, fabric.leaves.size());
  fmt::print("{:<18}{:>6}{:>6}{:>11}{:>12}{:>8}   {:<28}\n", "fault", "pass", "fail", "undecided", "right part",
             "rounds", "fixed 80 %: fails, hosts named");
  std::array<Count, 8> counts{};
  std::array<std::string, 8> names;
  std::mt19937_64 random(1);
  for (int run = 0; run < runs; ++run) {
    const auto bad = random() % hosts;
    auto other = random() % hosts;
    // In another leaf, so that two faults do not hide each other.
    while (other / per_leaf == bad / per_leaf) other = random() % hosts;
    const auto cases = cases_at(fabric, {bad, other, per_leaf});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      names[i] = cases[i].name;
      judge_one(fabric, cases[i], random(), counts[i]);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& count = counts[i];
    fmt::print("{:<18}{:>6}{:>6}{:>11}{:>12}{:>8.1f}   {:>4}, {:.1f}\n", names[i], count.pass, count.fail,
               count.undecided, count.right, static_cast<double>(count.rounds) / runs, count.by_threshold,
               static_cast<double>(count.named_by_threshold) / runs);
  }
}
