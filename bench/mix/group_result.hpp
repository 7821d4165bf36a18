// The result of a mix for each group: its times over all rounds, and its fair share of the links.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/mix/fair_share.hpp"
#include "bench/mix/mix_groups.hpp"
#include "bench/mix/slowdown.hpp"

namespace ringmark::mix {

struct GroupResult {
  const MixGroup* group = nullptr;
  Slowdown slowdown;                     ///< on rank 0 only
  double alone_us = 0, together_us = 0;  ///< medians over all rounds; 0 if nothing was measured
  std::optional<double> fair_us;         ///< time of an operation at the max-min share
  std::optional<std::string> link;       ///< the full link that limits this share
  double busiest_bytes = 0;              ///< bytes of an operation on the group's busiest link
};

/// The group's medians. Keeps a reference to the group.
GroupResult medians_of(const MixGroup& group, const std::vector<RoundTimes>& rounds);

/// Adds the shares of all groups, based on their times alone; no shares if one measured nothing. `bytes` are for one
/// operation of each group: [group][2 * link], [2 * link + 1] up and down the link.
void add_fair_shares(const std::vector<CutLink>& links, std::vector<std::vector<double>> bytes,
                     std::vector<GroupResult>& results);

}  // namespace ringmark::mix
