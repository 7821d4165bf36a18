// The launches of the stages: each is a program and its arguments.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accept/criteria.hpp"
#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::accept {

/// A measurement of a stage. The criteria's arguments are added to these.
struct Measurement {
  Stage stage;
  sweep::Program program;
  std::map<std::string, sweep::Value> arguments;
  std::size_t link_rows = 0;       ///< rows that ringmark-link writes: one per test and pair
  std::size_t ranks_per_host = 1;  ///< one rank per measured NIC
};

/// An argument's value; empty if there is none.
std::string value_of(const std::map<std::string, sweep::Value>& arguments, const std::string& name);

/// The indices of all hosts in the criteria.
std::vector<std::size_t> all_hosts(const Criteria& criteria);

/// In larger clusters, each host is measured with only some of the others.
constexpr std::size_t most_hosts_with_all_pairs = 64;

/// Short messages between all pairs, which put no load on the network.
Measurement answers_measurement(std::size_t hosts);
/// Hosts are given by their index in the criteria. Concurrent pairs share no uplinks, as far as the leaves are known.
Measurement links_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// The same for every NIC, with the others of its rail.
Measurement rails_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// Rounds of random pairs, the same each time. All pairs of a round run concurrently, with several connections per
/// peer: eight unless the criteria give a number.
Measurement loaded_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);

/// A leaf with two or more hosts, and its hosts' ranks: a group of the all_reduce within leaves.
struct LeafGroup {
  std::size_t leaf;
  std::vector<std::size_t> ranks;
};
std::vector<LeafGroup> leaf_groups(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// All leaves at the same time.
Measurement leaves_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);

Measurement together_measurement(const Criteria& criteria);
/// The criteria's arguments for a stage: the common ones, overridden by its own.
std::map<std::string, sweep::Value> arguments_for(const Criteria& criteria, Stage stage);
/// How long each stretch of all_reduces lasts in a soak of this length.
std::chrono::milliseconds stretch_of(std::chrono::milliseconds soak);
Measurement soak_measurement(const Criteria& criteria, std::chrono::milliseconds soak);
/// Without GPUs, ranks really compute, so that a slow processor shows, except on hosts that share their cores. Unless
/// the criteria say otherwise, it is the step of a small model with buckets cut down to the size of the messages.
Measurement step_measurement(const Criteria& criteria);

/// One rank per NIC of each host.
sweep::Sweep sweep_on(const std::vector<std::size_t>& hosts, const Criteria& criteria, const Measurement& measurement);

/// Arguments in the criteria that the measuring programs refuse or that the stages set themselves. `file` is the
/// criteria's path, `soak` the length of the soak, if requested.
std::vector<Problem> argument_problems(const Criteria& criteria, const std::string& file,
                                       std::optional<std::chrono::milliseconds> soak = std::nullopt);

}  // namespace ringmark::accept
