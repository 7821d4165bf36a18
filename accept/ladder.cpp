#include "accept/ladder.hpp"

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

}  // namespace

LadderResult climb(const Criteria& criteria, Cluster& cluster, const std::function<void(const RungResult&)>& tell) {
  Site site(criteria, cluster);
  LadderResult result{Outcome::pass, {}, {}};
  for (const auto rung : criteria.rungs) {
    // Hosts that do not answer are left out of the links, so that the others are judged all the same.
    const bool goes_on =
        result.outcome == Outcome::pass || (rung == Rung::links && result.rungs.back().rung == Rung::nodes);
    if (!goes_on) {
      result.left_out.push_back(rung);
      continue;
    }
    result.rungs.push_back(climb_one(rung, site));
    const auto& last = result.rungs.back();
    tell(last);
    if (result.outcome != Outcome::fail && last.outcome != Outcome::pass) result.outcome = last.outcome;
  }
  return result;
}

}  // namespace ringmark::accept
