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

/// A remark: "leaves by the times of answers: host-0 host-1, host-2 host-3".
std::string in_words(const std::vector<Leaf>& inferred, const Fabric& fabric) {
  std::vector<std::string> leaves;
  for (const auto& leaf : inferred) {
    std::vector<std::string_view> hosts;
    for (const auto host : leaf.hosts) hosts.emplace_back(fabric.hosts[host]);
    leaves.push_back(fmt::format("{}", fmt::join(hosts, " ")));
  }
  return fmt::format("leaves by the times of answers: {}; tell them as leaves in the criteria to have each measured",
                     fmt::join(leaves, ", "));
}

}  // namespace

LadderResult climb(const Criteria& told, Cluster& cluster, const std::function<void(const RungResult&)>& tell) {
  Criteria criteria = told;
  Site site(criteria, cluster);
  bool may_infer = told.fabric.leaves.empty();
  LadderResult result{Outcome::pass, {}, {}};
  for (const auto rung : criteria.rungs) {
    // Hosts that do not answer are left out of the links, so that the others are judged all the same.
    const bool goes_on =
        result.outcome == Outcome::pass || (rung == Rung::links && result.rungs.back().rung == Rung::nodes);
    if (!goes_on) {
      result.left_out.push_back(rung);
      continue;
    }
    const bool infers = (rung == Rung::links || rung == Rung::rails) && std::exchange(may_infer, false);
    if (infers) criteria.fabric.leaves = infer_leaves(site);
    auto& last = result.rungs.emplace_back(climb_one(rung, site));
    if (infers && !criteria.fabric.leaves.empty())
      last.remarks.push_back(in_words(criteria.fabric.leaves, criteria.fabric));
    tell(last);
    if (result.outcome != Outcome::fail && last.outcome != Outcome::pass) result.outcome = last.outcome;
  }
  return result;
}

}  // namespace ringmark::accept
