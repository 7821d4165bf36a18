// The rungs of the ladder. Each measures until it can be judged, or until the budget is spent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/link_downs.hpp"
#include "accept/rung_result.hpp"
#include "base/system/deadline.hpp"

namespace ringmark::accept {

/// The place that all rungs measure: its hosts, budget and criteria.
struct Site {
  Site(const Criteria& criteria, Cluster& cluster);

  const std::string& host_name(std::size_t host) const { return criteria.fabric.hosts[host]; }
  /// The allowed rate of false alarms, divided among the rungs that compare.
  ErrorRates rates() const;
  /// Cluster::launch, which keeps the time that it takes.
  sweep::LaunchRows launch(const std::string& name, const Measurement& measurement);
  /// True if there is no time left for another launch like the last one.
  bool is_over() const { return end.left() <= last_launch; }

  const Criteria& criteria;
  Cluster& cluster;
  Deadline end;  ///< of measuring: the rest of the budget is for a last look at the hosts
  Clock::duration last_launch{};
  std::vector<std::size_t> hosts;  ///< that answer
  LinkDowns downs;                 ///< counters as of the last visit
  std::vector<Finding> lost;       ///< of hosts that scans lost and went on without, for the rung that tells them
};

/// Takes a host out whose rank a scan lost, so that the others are judged all the same. False if it lost none.
bool leaves_out_lost(Site& site, const sweep::LaunchRows& launch, const std::string& name, std::size_t ranks_per_host);

/// The leaves of hosts that answer, which the criteria do not tell: by the times of answers between all pairs. None if
/// those do not show them plainly.
std::vector<Leaf> infer_leaves(Site& site);

RungResult climb_nodes(Site& site);
RungResult climb_links(Site& site);
RungResult climb_rails(Site& site);
RungResult climb_leaves(Site& site);
RungResult climb_together(Site& site);
RungResult climb_step(Site& site);

/// After so many rounds the scatter is too large for further ones to decide anything, whatever the budget.
constexpr std::size_t most_rounds = 40;

/// "links-003", a launch by its number from 1.
std::string launch_name(std::string_view rung, std::size_t number);

/// A summary, and what the launch's first row says on it.
std::string with_words_of(std::string summary, const sweep::LaunchRows& launch);

/// False if the operation was not carried out as asked, which makes its rung fail whatever its rate is.
bool is_as_asked(const Record& row, std::string_view operation, RungResult& result);

/// The finding for a link that went down while hosts were measured.
Finding link_finding(const LinkDown& down);

/// A launch that failed makes its rung fail. `ranks_per_host` tells the host of a rank that is lost. Without such a
/// rank, the hosts are visited again: one that has changed since its rung explains the failure.
std::string failure_of(const Site& site, const sweep::LaunchRows& launch, const std::string& name);
RungResult failed(Site& site, RungResult result, const sweep::LaunchRows& launch, const std::string& name,
                  std::size_t ranks_per_host);

}  // namespace ringmark::accept
