#include "accept/measurements.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/transport.hpp"
#include "base/units.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"

namespace ringmark::accept {
namespace {

/// In a round each host has one partner, in both directions; with an odd number, one host has none.
std::size_t links_in(std::size_t rounds, std::size_t hosts) { return rounds * (hosts / 2) * 2; }

/// Concurrent pairs that keep uplinks lightly loaded when the leaves are unknown.
std::size_t at_once(std::size_t ends) { return std::max<std::size_t>(ends / 4, 1); }

Measurement pairs_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts, Stage stage) {
  const auto rails = stage == Stage::links ? 1 : criteria.fabric.rails;
  Measurement measurement{
      stage,
      sweep::Program::link,
      {{"test", "both"}, {"alone", "0"}, {"latency-sizes", "8"}, {"sizes", format_size(criteria.size_bytes)}}};
  // Each host with the same number of others, which covers all parts of a large cluster except single links.
  constexpr std::size_t rounds = 32, tests = 2;
  const bool has_all_pairs = hosts.size() <= most_hosts_with_all_pairs;
  measurement.ranks_per_host = rails;
  measurement.arguments["pairs"] = has_all_pairs ? "all" : fmt::format("rounds:{}", rounds);
  measurement.link_rows =
      tests * rails * (has_all_pairs ? hosts.size() * (hosts.size() - 1) : links_in(rounds, hosts.size()));
  if (rails > 1) measurement.arguments["rails"] = std::to_string(rails);
  if (criteria.fabric.leaves.empty()) {
    measurement.arguments["at-once"] = std::to_string(at_once(hosts.size() * rails));
  } else {
    std::vector<std::size_t> leaf_of;
    for (const auto host : hosts) leaf_of.insert(leaf_of.end(), rails, criteria.fabric.leaf_of_host(host).value_or(0));
    measurement.arguments["leaf-of"] = fmt::format("{}", fmt::join(leaf_of, ","));
  }
  return measurement;
}

bool has(const Criteria& criteria, Stage stage) {
  return std::find(criteria.stages.begin(), criteria.stages.end(), stage) != criteria.stages.end();
}

/// An unknown name has no facts; the check of the arguments refuses it.
TransportFacts transport_of(const Criteria& criteria) {
  const auto name = value_of(criteria.arguments, "transport");
  const auto transport = name.empty() ? std::optional(Transport::tcp) : parse_transport(name);
  return transport ? facts_of(*transport) : TransportFacts{};
}

/// Assigns a host's NICs to its ranks round-robin, if the transport has an option for interfaces. A lab names its NICs
/// e0, e1, ….
void give_nics(const Criteria& criteria, Measurement& measurement) {
  const std::string interfaces(transport_of(criteria).interfaces_option);
  if (measurement.ranks_per_host == 1 || !criteria.is_box || interfaces.empty()) return;
  if (criteria.arguments.contains(interfaces)) return;
  std::vector<std::string> nics;
  for (std::size_t rail = 0; rail < measurement.ranks_per_host; ++rail) nics.push_back(fmt::format("e{}", rail));
  measurement.arguments[interfaces] = fmt::format("{}", fmt::join(nics, ","));
}

}  // namespace

std::string value_of(const std::map<std::string, sweep::Value>& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second.value_or("");
}

std::vector<std::size_t> all_hosts(const Criteria& criteria) {
  std::vector<std::size_t> all(criteria.fabric.hosts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Measurement answers_measurement(std::size_t hosts) {
  return {Stage::links,
          sweep::Program::link,
          {{"test", "latency"},
           {"alone", "0"},
           {"latency-sizes", "8"},
           {"pairs", "all"},
           {"at-once", std::to_string(at_once(hosts))}},
          hosts * (hosts - 1)};
}

Measurement links_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts) {
  return pairs_measurement(criteria, hosts, Stage::links);
}

Measurement rails_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts) {
  return pairs_measurement(criteria, hosts, Stage::rails);
}

Measurement loaded_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts) {
  constexpr std::size_t rounds = 4;
  Measurement measurement{Stage::links,
                          sweep::Program::link,
                          {{"test", "bandwidth"},
                           {"alone", "0"},
                           {"pairs", fmt::format("random:{}", rounds)},
                           {"sizes", format_size(criteria.size_bytes)}},
                          links_in(rounds, hosts.size())};
  const std::string connections(transport_of(criteria).connections_option);
  if (!connections.empty() && !criteria.arguments.contains(connections)) measurement.arguments[connections] = "8";
  return measurement;
}

std::vector<LeafGroup> leaf_groups(const Criteria& criteria, const std::vector<std::size_t>& hosts) {
  std::vector<LeafGroup> groups;
  const auto rails = criteria.fabric.rails;
  for (std::size_t leaf = 0; leaf < criteria.fabric.leaves.size(); ++leaf) {
    LeafGroup group{leaf, {}};
    for (std::size_t place = 0; place < hosts.size(); ++place) {
      if (criteria.fabric.leaf_of_host(hosts[place]) != leaf) continue;
      for (std::size_t rail = 0; rail < rails; ++rail) group.ranks.push_back(place * rails + rail);
    }
    if (group.ranks.size() > rails) groups.push_back(std::move(group));
  }
  return groups;
}

Measurement leaves_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts) {
  auto measurement = together_measurement(criteria);
  measurement.stage = Stage::leaves;
  std::vector<std::string> groups;
  for (const auto& group : leaf_groups(criteria, hosts))
    groups.push_back(fmt::format("{}", fmt::join(group.ranks, ",")));
  measurement.arguments["groups"] = fmt::format("{}", fmt::join(groups, ";"));
  return measurement;
}

Measurement together_measurement(const Criteria& criteria) {
  return {Stage::together,
          sweep::Program::all_reduce,
          {{"sizes", format_size(criteria.size_bytes)}, {"in-place", "no"}},
          0,
          criteria.fabric.rails};
}

std::chrono::milliseconds stretch_of(std::chrono::milliseconds soak) {
  constexpr std::chrono::milliseconds shortest = std::chrono::seconds(2), longest = std::chrono::minutes(1);
  constexpr int stretches = 20;
  return std::clamp(soak / stretches, shortest, longest);
}

Measurement soak_measurement(const Criteria& criteria, std::chrono::milliseconds soak) {
  auto measurement = together_measurement(criteria);
  measurement.stage = Stage::soak;
  measurement.arguments["max-time"] = fmt::format("{}", std::chrono::duration<double>(stretch_of(soak)).count());
  // Stops at the time limit, or earlier at the sample cap; the summary reports the time measured.
  measurement.arguments["precision"] = "0.01";
  return measurement;
}

Measurement step_measurement(const Criteria& criteria) {
  Measurement measurement{Stage::step, sweep::Program::replay, criteria.step, 0, criteria.fabric.rails};
  auto& flags = measurement.arguments;
  if (!flags.contains("trace") && !flags.contains("model")) {
    constexpr double bucket_bytes = 25 * 1024 * 1024;
    flags["model"] = "opt-125m";
    flags.try_emplace("framework", "pytorch-ddp");
    flags.try_emplace("device", "h100");
    flags.try_emplace("scale-compute", "10");  // so that computation stands out from waiting
    flags.try_emplace("scale-sizes",
                      fmt::format("{:.6g}", std::min(1.0, static_cast<double>(criteria.size_bytes) / bucket_bytes)));
  }
  // Where hosts share cores, one host's work slows the others down.
  flags.try_emplace("compute", transport_of(criteria).computes_on_gpu ? "gpu" : criteria.is_box ? "auto" : "work");
  return measurement;
}

sweep::Sweep sweep_on(const std::vector<std::size_t>& hosts, const Criteria& criteria, const Measurement& measurement) {
  auto with_nics = measurement;
  give_nics(criteria, with_nics);
  sweep::Sweep sweep;
  sweep.programs = {measurement.program};
  sweep.launcher = criteria.launcher;
  sweep.ranks = static_cast<int>(hosts.size() * measurement.ranks_per_host);
  sweep.ranks_per_node = static_cast<int>(measurement.ranks_per_host);
  for (const auto host : hosts) sweep.hosts.push_back(criteria.fabric.hosts[host]);
  sweep.arguments = with_nics.arguments;
  sweep.arguments.merge(arguments_for(criteria, measurement.stage));
  sweep.environment = criteria.environment;
  return sweep;
}

std::map<std::string, sweep::Value> arguments_for(const Criteria& criteria, Stage stage) {
  const auto own = criteria.arguments_of.find(stage);
  auto arguments = own == criteria.arguments_of.end() ? std::map<std::string, sweep::Value>{} : own->second;
  arguments.insert(criteria.arguments.begin(), criteria.arguments.end());
  return arguments;
}

std::vector<Problem> argument_problems(const Criteria& criteria, const std::string& file,
                                       std::optional<std::chrono::milliseconds> soak) {
  const Place place{file, criteria.arguments_line};
  std::vector<Problem> problems;
  const auto hosts = all_hosts(criteria);
  std::vector<Measurement> measurements{links_measurement(criteria, hosts), together_measurement(criteria)};
  if (!criteria.fabric.leaves.empty()) measurements.push_back(loaded_measurement(criteria, hosts));
  if (has(criteria, Stage::rails)) measurements.push_back(rails_measurement(criteria, hosts));
  if (has(criteria, Stage::leaves)) measurements.push_back(leaves_measurement(criteria, hosts));
  if (has(criteria, Stage::step)) measurements.push_back(step_measurement(criteria));
  const std::string interfaces(transport_of(criteria).interfaces_option);
  if (criteria.fabric.rails > 1 && !interfaces.empty() && !criteria.is_box && !criteria.arguments.contains(interfaces))
    problems.push_back({.flag = "rails",
                        .value = std::to_string(criteria.fabric.rails),
                        .text = fmt::format("{} must list the NICs", interfaces),
                        .remedy = fmt::format("give arguments: {{{}: 'eth0,eth1'}}", interfaces),
                        .place = place});
  const auto add_refused = [&](const Measurement& measurement, const Place& at) {
    for (auto& problem : sweep::problems_of(sweep::resolve(sweep_on(hosts, criteria, measurement), {}))) {
      problem.place = at;
      problems.push_back(std::move(problem));
    }
  };
  for (const auto& measurement : measurements) {
    const bool is_step = measurement.program == sweep::Program::replay;
    for (const auto& [name, value] : measurement.arguments) {
      if (arguments_for(criteria, measurement.stage).contains(name) && !is_step)
        problems.push_back({.flag = "arguments." + name,
                            .text = "is set by the stages themselves",
                            .remedy = name == "sizes" ? "move it to the top level, as `size: 1M`" : "leave it out",
                            .place = place});
    }
    add_refused(measurement, is_step ? Place{file, criteria.step_line} : place);
  }
  // Its time and precision may also be given for the other stages.
  if (soak) add_refused(soak_measurement(criteria, *soak), place);
  // Several programs refuse the same arguments.
  std::vector<Problem> once;
  for (auto& problem : problems) {
    const auto is_same = [&](const Problem& other) {
      return other.flag == problem.flag && other.value == problem.value && other.text == problem.text;
    };
    if (std::none_of(once.begin(), once.end(), is_same)) once.push_back(std::move(problem));
  }
  return once;
}

}  // namespace ringmark::accept
