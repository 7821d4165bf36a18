// The launches of the rungs: each is a program and its arguments.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accept/criteria.hpp"
#include "base/problem.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::accept {

/// A measurement of a rung. The criteria's arguments come on top of it.
struct Measurement {
  Rung rung;
  sweep::Program program;
  std::map<std::string, sweep::Value> arguments;
  std::size_t link_rows = 0;       ///< that ringmark-link writes: one of each test for each pair
  std::size_t ranks_per_host = 1;  ///< a rank for each NIC that is measured
};

/// An argument's value; empty without one.
std::string value_of(const std::map<std::string, sweep::Value>& arguments, const std::string& name);

/// By their places in the criteria.
std::vector<std::size_t> all_hosts(const Criteria& criteria);

/// In larger clusters each host is measured with some of the others.
constexpr std::size_t most_hosts_with_all_pairs = 64;

/// Short messages between all pairs, which load nothing.
Measurement answers_measurement(std::size_t hosts);
/// On hosts by their places in the criteria: pairs at once that share no uplinks, as far as the leaves are told.
Measurement links_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// The same for every NIC, with those of its rail.
Measurement rails_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// Rounds of random pairs, the same each time, all pairs of a round at once and with several connections to a peer:
/// eight, if the criteria give no number.
Measurement loaded_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);

/// A leaf with two hosts or more, and the ranks of its hosts: a group of the all_reduce within leaves.
struct LeafGroup {
  std::size_t leaf;
  std::vector<std::size_t> ranks;
};
std::vector<LeafGroup> leaf_groups(const Criteria& criteria, const std::vector<std::size_t>& hosts);
/// All leaves at the same time.
Measurement leaves_measurement(const Criteria& criteria, const std::vector<std::size_t>& hosts);

Measurement together_measurement(const Criteria& criteria);
/// The criteria's arguments for a rung: those of all, and its own in their place.
std::map<std::string, sweep::Value> arguments_for(const Criteria& criteria, Rung rung);
/// A stretch of all_reduces, of which many make a soak.
std::chrono::milliseconds stretch_of(std::chrono::milliseconds soak);
Measurement soak_measurement(const Criteria& criteria, std::chrono::milliseconds soak);
/// Without GPUs, ranks really compute, so that a slow processor shows, but for hosts that share their cores. Unless the
/// criteria say otherwise it is the step of a small model whose buckets are shortened to the size of the messages.
Measurement step_measurement(const Criteria& criteria);

/// A rank on each NIC of each of the hosts.
sweep::Sweep sweep_on(const std::vector<std::size_t>& hosts, const Criteria& criteria, const Measurement& measurement);

/// Arguments in the criteria that the measuring programs refuse, or that the ladder sets itself. `file` is the
/// criteria's, `soak` the length of the soak if there is to be one.
std::vector<Problem> argument_problems(const Criteria& criteria, const std::string& file,
                                       std::optional<std::chrono::milliseconds> soak = std::nullopt);

}  // namespace ringmark::accept
