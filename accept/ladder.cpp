#include "accept/ladder.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/rungs/rungs.hpp"

namespace ringmark::accept {
namespace {

RungResult climb_one(Rung rung, Site& site) {
  switch (rung) {
    case Rung::nodes:
      return climb_nodes(site);
    case Rung::links:
      return climb_links(site);
    case Rung::rails:
      return climb_rails(site);
    case Rung::leaves:
      return climb_leaves(site);
    case Rung::together:
      return climb_together(site);
    case Rung::step:
    case Rung::soak:
      break;
  }
  return climb_step(site);
}

/// The result of a stage that the budget cuts off: undecided, with the hosts lost so far.
RungResult cut_off(Rung rung, Site& site) {
  RungResult result{rung, Outcome::undecided};
  result.summary = "the budget ran out before this could be judged; give a longer one";
  result.findings = std::exchange(site.lost, {});
  if (!result.findings.empty()) result.outcome = Outcome::fail;
  return result;
}

/// Whatever a stage measured, it does not pass if a link went down or a host was lost meanwhile.
void look_at_hosts(Site& site, RungResult& result) {
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

/// A remark: "leaves by the times of answers: …".
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

LadderResult climb(const Criteria& told, Cluster& cluster, const std::function<void(const RungResult&)>& tell) {
  Criteria criteria = told;
  Site site(criteria, cluster);
  const auto end = Deadline::after(told.budget);
  cluster.end_by(site.end);
  if (criteria.rungs.front() != Rung::nodes) site.downs.seen(cluster.visit(VisitDepth::facts));
  bool may_infer = told.fabric.leaves.empty();
  LadderResult result{Outcome::pass, {}, {}};
  for (const auto rung : criteria.rungs) {
    // Links of hosts that do not answer are left out, so the other hosts are still judged.
    const bool goes_on =
        result.outcome == Outcome::pass || (rung == Rung::links && result.rungs.back().rung == Rung::nodes);
    if (!goes_on) {
      result.left_out.push_back(rung);
      continue;
    }
    const bool infers = (rung == Rung::links || rung == Rung::rails) && std::exchange(may_infer, false);
    auto& last = result.rungs.emplace_back();
    try {
      if (infers) criteria.fabric.leaves = infer_leaves(site);
      last = climb_one(rung, site);
    } catch (const TimeSpent&) {
      last = cut_off(rung, site);
    }
    if (rung != Rung::nodes) {
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
