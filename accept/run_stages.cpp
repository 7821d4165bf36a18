#include "accept/run_stages.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/stages/stages.hpp"

namespace ringmark::accept {
namespace {

StageResult run_stage(Stage stage, Site& site) {
  switch (stage) {
    case Stage::nodes:
      return run_nodes(site);
    case Stage::links:
      return run_links(site);
    case Stage::rails:
      return run_rails(site);
    case Stage::leaves:
      return run_leaves(site);
    case Stage::together:
      return run_together(site);
    case Stage::step:
    case Stage::soak:
      break;
  }
  return run_step(site);
}

/// The result of a stage that the budget cuts off: undecided, with the hosts lost so far.
StageResult cut_off(Stage stage, Site& site) {
  StageResult result{stage, Outcome::undecided};
  result.summary = "the budget ran out before this could be judged; give a longer one";
  result.findings = std::exchange(site.lost, {});
  if (!result.findings.empty()) result.outcome = Outcome::fail;
  return result;
}

/// Whatever a stage measured, it does not pass if a link went down or a host was lost meanwhile.
void look_at_hosts(Site& site, StageResult& result) {
  const auto visit = site.cluster.visit(VisitDepth::facts);
  for (const auto& down : site.downs.seen(visit)) {
    result.outcome = Outcome::fail;
    result.findings.push_back(link_finding(down));
  }
  for (const auto host : site.hosts) {
    if (visit.facts.contains(host)) continue;
    if (result.outcome == Outcome::pass) result.outcome = Outcome::undecided;
    const auto why = visit.why_not.find(host);
    result.undecided.push_back(fmt::format("{} did not answer at the end of this stage{}", site.host_name(host),
                                           why == visit.why_not.end() ? "" : ": " + why->second));
  }
}

/// A remark: "leaves, inferred from response times: …".
std::string in_words(const std::vector<Leaf>& inferred, const Fabric& fabric) {
  std::vector<std::string> leaves;
  for (const auto& leaf : inferred) {
    std::vector<std::string_view> hosts;
    for (const auto host : leaf.hosts) hosts.emplace_back(fabric.hosts[host]);
    leaves.push_back(fmt::format("{}", fmt::join(hosts, " ")));
  }
  return fmt::format("leaves, inferred from response times: {}; list them under leaves in the criteria to measure each",
                     fmt::join(leaves, ", "));
}

}  // namespace

AcceptanceResult run_stages(const Criteria& wanted, Cluster& cluster,
                            const std::function<void(const StageResult&)>& tell) {
  Criteria criteria = wanted;
  Site site(criteria, cluster);
  const auto end = Deadline::after(wanted.budget);
  cluster.end_by(site.end);
  if (criteria.stages.front() != Stage::nodes) site.downs.seen(cluster.visit(VisitDepth::facts));
  bool may_infer = wanted.fabric.leaves.empty();
  AcceptanceResult result{Outcome::pass, {}, {}};
  for (const auto stage : criteria.stages) {
    // Links of hosts that do not answer are left out, so the other hosts are still judged.
    const bool goes_on =
        result.outcome == Outcome::pass || (stage == Stage::links && result.stages.back().stage == Stage::nodes);
    if (!goes_on) {
      result.left_out.push_back(stage);
      continue;
    }
    const bool infers = (stage == Stage::links || stage == Stage::rails) && std::exchange(may_infer, false);
    auto& last = result.stages.emplace_back();
    try {
      if (infers) criteria.fabric.leaves = infer_leaves(site);
      last = run_stage(stage, site);
    } catch (const TimeSpent&) {
      last = cut_off(stage, site);
    }
    if (stage != Stage::nodes) {
      cluster.end_by(end);
      look_at_hosts(site, last);
      cluster.end_by(site.end);
    }
    if (infers && !criteria.fabric.leaves.empty())
      last.remarks.push_back(in_words(criteria.fabric.leaves, criteria.fabric));
    tell(last);
    if (result.outcome != Outcome::fail && last.outcome != Outcome::pass) result.outcome = last.outcome;
  }
  cluster.end_by(std::nullopt);
  return result;
}

}  // namespace ringmark::accept
