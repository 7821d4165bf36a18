// The stages. Each measures until it can be judged, or until the budget runs out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/judge/link_downs.hpp"
#include "accept/stage_result.hpp"
#include "base/system/deadline.hpp"

namespace ringmark::accept {

/// Shared by all stages: hosts, budget and criteria.
struct Site {
  Site(const Criteria& criteria, Cluster& cluster);

  const std::string& host_name(std::size_t host) const { return criteria.fabric.hosts[host]; }
  /// The allowed rate of false alarms, divided among the stages that compare.
  ErrorRates rates() const;
  /// Calls Cluster::launch and records how long it takes.
  sweep::LaunchRows launch(const std::string& name, const Measurement& measurement);
  /// True if the time left is too short for another launch like the last one.
  bool is_over() const { return end.left() <= last_launch; }

  const Criteria& criteria;
  Cluster& cluster;
  Deadline end;  ///< of measuring: the rest of the budget is for a last visit to the hosts
  Clock::duration last_launch{};
  std::vector<std::size_t> hosts;  ///< hosts that answer
  LinkDowns downs;                 ///< counters as of the last visit
  std::vector<Finding> lost;       ///< hosts that scans lost and continued without; the current stage reports them
};

/// Removes the host of the rank that a scan lost, so that the others are still judged. Returns false if it lost none.
bool leaves_out_lost(Site& site, const sweep::LaunchRows& launch, const std::string& name, std::size_t ranks_per_host);

/// The leaves of the hosts that answer, when the criteria do not list them: inferred from response times between all
/// pairs. Empty unless those show them clearly.
std::vector<Leaf> infer_leaves(Site& site);

StageResult run_nodes(Site& site);
StageResult run_links(Site& site);
StageResult run_rails(Site& site);
StageResult run_leaves(Site& site);
StageResult run_together(Site& site);
StageResult run_step(Site& site);

/// After this many rounds, further ones could not decide anything, whatever the budget.
constexpr std::size_t most_rounds = 40;

/// "links-003": launches are numbered from 1.
std::string launch_name(std::string_view stage, std::size_t number);

/// A summary, with the explanation in the launch's first row.
std::string with_words_of(std::string summary, const sweep::LaunchRows& launch);

/// False if the operation was not carried out as requested, which fails its stage whatever its rate is.
bool is_as_asked(const Record& row, std::string_view operation, StageResult& result);

/// The finding for a link that went down while hosts were measured.
Finding link_finding(const LinkDown& down);

/// A launch that failed fails its stage. `ranks_per_host` determines the host of a lost rank. If no rank is lost, the
/// nodes stage runs again: a host that has changed since then explains the failure.
std::string failure_of(const Site& site, const sweep::LaunchRows& launch, const std::string& name);
StageResult failed(Site& site, StageResult result, const sweep::LaunchRows& launch, const std::string& name,
                   std::size_t ranks_per_host);

}  // namespace ringmark::accept
