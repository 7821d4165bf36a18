// How often ringmark-accept errs: its verdict on simulated clusters with recorded noise, with and without faults,
// beside a fixed threshold of 80 % on every pair. accept-trials [RUNS] [SEED...] makes RUNS clusters of each kind for
// each seed, and prints the table of docs/evidence/acceptance.md.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "accept/fabric/differences.hpp"
#include "accept/stages/series.hpp"
#include "tests/accept/simulated_cluster.hpp"

namespace {

using namespace ringmark::accept;

constexpr std::size_t most_scans = 12;

/// The share of false alarms of the stage of links; leaves and the step have as much.
ErrorRates rates_of_a_stage() {
  ErrorRates rates;
  constexpr double stages = 3;
  rates.false_alarm /= stages;
  return rates;
}

/// Places of faults, in different leaves.
struct Places {
  std::size_t host, other_host, leaf, other_leaf, spine, end;
};

struct Case {
  std::string name;
  std::function<Faults(const Places&)> faults;
  std::function<std::set<std::string>(const Places&, const Fabric&)> culprits;
  ClusterShape shape{};
};

std::string uplink_of(std::size_t leaf, const Fabric& fabric) { return "an uplink of " + fabric.leaves[leaf].name; }

std::vector<Case> all_cases() {
  using Set = std::set<std::string>;
  const auto host = [](const Places& at, const Fabric& fabric) { return Set{fabric.hosts[at.host]}; };
  const ClusterShape two_rails{.leaves = 16, .hosts_per_leaf = 8, .spines = 16, .rails = 2};
  return {
      {"none", [](const auto&) { return Faults{}; }, [](const auto&, const auto&) { return Set{}; }},
      {"a host at 80 %", [](const auto& at) { return Faults{.hosts = {{.at = at.host, .rate = 0.8}}}; }, host},
      {"a host at 90 %", [](const auto& at) { return Faults{.hosts = {{.at = at.host, .rate = 0.9}}}; }, host},
      {"one of 16 uplinks of a leaf at half",
       [](const auto& at) { return Faults{.uplinks = {{.at = at.leaf, .rate = 0.5}}}; },
       [](const auto& at, const auto& fabric) { return Set{uplink_of(at.leaf, fabric)}; }},
      {"one of 16 spines at half", [](const auto& at) { return Faults{.spines = {{.at = at.spine, .rate = 0.5}}}; },
       [](const auto&, const auto&) { return Set{"a spine"}; }},
      {"a leaf with half of its uplinks", [](const auto& at) { return Faults{.oversubscribed_leaves = {at.leaf}}; },
       [](const auto& at, const auto& fabric) { return Set{"uplinks of " + fabric.leaves[at.leaf].name}; }},
      {"a NIC of a host with two is down", [](const auto& at) { return Faults{.ends = {{.at = at.end, .rate = 0}}}; },
       [](const auto& at, const auto& fabric) { return Set{fabric.name_of(at.end)}; }, two_rails},
      {"0.5 % loss at a host",
       [](const auto& at) { return Faults{.hosts = {{.at = at.host, .rate = 0.95, .resent_share = 0.005}}}; }, host},
      {"200 µs delay at a host", [](const auto& at) { return Faults{.hosts = {{.at = at.host, .delay_us = 200}}}; },
       host},
      {"a host at 80 %, and an uplink of another leaf at half",
       [](const auto& at) {
         return Faults{.hosts = {{.at = at.host, .rate = 0.8}}, .uplinks = {{.at = at.other_leaf, .rate = 0.5}}};
       },
       [](const auto& at, const auto& fabric) {
         return Set{fabric.hosts[at.host], uplink_of(at.other_leaf, fabric)};
       }},
      {"a host at 80 %, and 0.5 % loss at another",
       [](const auto& at) {
         return Faults{
             .hosts = {{.at = at.host, .rate = 0.8}, {.at = at.other_host, .rate = 0.95, .resent_share = 0.005}}};
       },
       [](const auto& at, const auto& fabric) {
         return Set{fabric.hosts[at.host], fabric.hosts[at.other_host]};
       }},
      {"0.5 % loss at a host, and another leaf with half of its uplinks",
       [](const auto& at) {
         return Faults{.hosts = {{.at = at.host, .rate = 0.95, .resent_share = 0.005}},
                       .oversubscribed_leaves = {at.other_leaf}};
       },
       [](const auto& at, const auto& fabric) {
         return Set{fabric.hosts[at.host], "uplinks of " + fabric.leaves[at.other_leaf].name};
       }},
  };
}

Places places_in(const ClusterShape& shape, std::mt19937_64& random) {
  const auto hosts = shape.leaves * shape.hosts_per_leaf;
  Places at{};
  at.host = random() % hosts;
  do {
    at.other_host = random() % hosts;
  } while (at.other_host / shape.hosts_per_leaf == at.host / shape.hosts_per_leaf);
  at.leaf = at.host / shape.hosts_per_leaf;
  at.other_leaf = at.other_host / shape.hosts_per_leaf;
  at.spine = random() % shape.spines;
  at.end = random() % shape.ends();
  return at;
}

struct Count {
  int pass = 0, fail = 0, undecided = 0, right = 0, by_threshold = 0;
  bool has_threshold = false;
  std::size_t scans = 0, drained_by_threshold = 0;
  std::map<std::string, int> wrong;  ///< what was named instead, or beside
};

/// Others drain the hosts of every pair below 80 % of the mean in the first scan.
void judge_by_threshold(const Fabric& fabric, const Scan& scan, Count& count) {
  double mean = 0;
  for (const auto& pair : scan.pairs) mean += pair.GBps / static_cast<double>(scan.pairs.size());
  std::set<std::size_t> drained;
  for (const auto& pair : scan.pairs) {
    if (pair.GBps < 0.8 * mean) drained.insert({fabric.host_of(pair.from), fabric.host_of(pair.to)});
  }
  count.has_threshold = true;
  count.by_threshold += drained.empty() ? 0 : 1;
  count.drained_by_threshold += drained.size();
}

/// The kind of a part that was named wrongly, for the matrix.
std::string kind_of(const Part& part) {
  switch (part.kind) {
    case PartKind::host:
      return "another host";
    case PartKind::sending:
    case PartKind::receiving:
      return "a direction of a host";
    case PartKind::link:
      return "a link";
    case PartKind::nic:
      return "another NIC";
    case PartKind::rail:
      return "a rail";
    case PartKind::some_uplink:
      return "another uplink";
    case PartKind::some_spine:
      return "a spine";
    default:
      return "all uplinks of a leaf";
  }
}

void judge_one(const Case& each, const RecordedNoise& noise, std::mt19937_64& random, Count& count) {
  const auto at = places_in(each.shape, random);
  SimulatedCluster cluster(each.shape, each.faults(at), noise, random());
  std::vector<Scan> scans;
  ScansVerdict verdict;
  while (scans.size() < most_scans) {
    scans.push_back(cluster.scan());
    verdict = judge_scans(cluster.fabric(), scans, rates_of_a_stage(), std::nullopt);
    if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
  }
  count.scans += scans.size();
  ++(verdict.outcome == Outcome::pass ? count.pass : verdict.outcome == Outcome::fail ? count.fail : count.undecided);
  const auto expected = each.culprits(at, cluster.fabric());
  std::set<std::string> found;
  for (const auto& culprit : verdict.culprits) {
    if (found.insert(culprit.part.name).second && !expected.contains(culprit.part.name))
      ++count.wrong[kind_of(culprit.part)];
  }
  for (const auto& name : expected) {
    if (!found.contains(name)) ++count.wrong[name.starts_with("node") ? "the host is missing" : "the path is missing"];
  }
  count.right += found == expected ? 1 : 0;
  judge_by_threshold(cluster.fabric(), scans.front(), count);
}

/// A fact of one host among the others': no noise.
int count_wrong_mtus(int runs, std::mt19937_64& random) {
  int right = 0;
  for (int run = 0; run < runs; ++run) {
    std::map<std::size_t, nlohmann::json> facts;
    for (std::size_t host = 0; host < 256; ++host) facts[host] = {{"nics", {{"eth0", {{"mtu", 9000}}}}}};
    const auto bad = random() % 256;
    facts[bad]["nics"]["eth0"]["mtu"] = 1500;
    const auto found = differences(facts);
    right += found.size() == 1 && found.front().host == bad && found.front().matters ? 1 : 0;
  }
  return right;
}

/// 256 ranks of which one may compute longer. Their scatter is assumed: 1 % between launches, 0.5 % between ranks.
Count judge_steps(int runs, double slow_down, std::mt19937_64& random) {
  constexpr std::size_t ranks = 256;
  std::normal_distribution<double> normal;
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < ranks; ++rank) names.push_back(fmt::format("node{}", rank));
  Count count;
  for (int run = 0; run < runs; ++run) {
    const auto slow = random() % ranks;
    std::vector<double> own;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      own.push_back(0.005 * normal(random) + (rank == slow ? std::log(slow_down) : 0));
    Series series(names, std::nullopt);
    while (series.rounds() < most_scans) {
      std::vector<double> rates;
      for (const double each : own) rates.push_back(std::exp(-each - 0.01 * normal(random)));
      series.add(rates);
      if (series.judge(rates_of_a_stage())) break;
    }
    count.scans += series.rounds();
    const auto found = series.slow();
    ++(!found.empty() ? count.fail : series.undecided().empty() ? count.pass : count.undecided);
    count.right += slow_down > 1 ? found.size() == 1 && found.front().subject == slow : found.empty();
  }
  return count;
}

void print_row(const std::string& name, int runs, const Count& count) {
  std::string wrong;
  for (const auto& [what, times] : count.wrong)
    wrong += fmt::format("{}{}: {}", wrong.empty() ? "" : "; ", what, times);
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, runs, count.pass, count.fail,
             count.undecided, count.right, wrong,
             count.scans > 0 ? fmt::format("{:.1f}", static_cast<double>(count.scans) / runs) : "",
             count.has_threshold ? std::to_string(count.by_threshold) : "",
             count.has_threshold ? fmt::format("{:.0f}", static_cast<double>(count.drained_by_threshold) / runs) : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 20;
  std::vector<std::mt19937_64> randoms;
  for (int i = 2; i < std::max(argc, 3); ++i)
    randoms.emplace_back(i < argc ? static_cast<std::uint64_t>(std::atoll(argv[i])) : 1);
  const int all = runs * static_cast<int>(randoms.size());
  const RecordedNoise noise(RINGMARK_SOURCE_DIR "/tests/accept/recorded/lab_noise.csv");
  fmt::print(
      "256 NICs behind 16 leaves and 16 spines, {} recorded hosts\n\n"
      "| fault | runs | pass | fail | undecided | right part named | named instead, or beside it | rounds | "
      "fixed 80 %: runs that fail | hosts drained in a run |\n|---|---|---|---|---|---|---|---|---|---|\n",
      noise.hosts());
  for (const auto& each : all_cases()) {
    Count count;
    for (auto& random : randoms) {
      for (int run = 0; run < runs; ++run) judge_one(each, noise, random, count);
    }
    print_row(each.name, all, count);
  }
  for (const auto& [name, slow_down] : {std::pair{"none, in the step", 1.0},
                                        {"a rank that computes at 90 % of its speed", 1 / 0.9},
                                        {"a rank that computes at 80 % of its speed", 1 / 0.8}})
    print_row(name, all, judge_steps(all, slow_down, randoms.front()));
  Count mtus;
  mtus.fail = mtus.right = count_wrong_mtus(all, randoms.front());
  print_row("a host with a wrong MTU", all, mtus);
}
