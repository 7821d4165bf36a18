#include "bench/mix/group_result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "results/statistics/statistics.hpp"

namespace ringmark::mix {

GroupResult medians_of(const MixGroup& group, const std::vector<RoundTimes>& rounds) {
  GroupResult result;
  result.group = &group;
  std::vector<double> alone, together;
  for (const auto& round : rounds) {
    alone.insert(alone.end(), round.alone_us.begin(), round.alone_us.end());
    together.insert(together.end(), round.together_us.begin(), round.together_us.end());
  }
  if (!alone.empty()) result.alone_us = median(alone);
  if (!together.empty()) result.together_us = median(together);
  return result;
}

void add_fair_shares(const std::vector<CutLink>& links, std::vector<std::vector<double>> bytes,
                     std::vector<GroupResult>& results) {
  SharedLoad load;
  for (const auto& link : links) load.bytes_per_s.insert(load.bytes_per_s.end(), 2, link.bytes_per_s);
  for (std::size_t group = 0; group < results.size(); ++group) {
    if (results[group].alone_us == 0) return;
    load.alone_per_s.push_back(1e6 / results[group].alone_us);
    results[group].busiest_bytes = *std::max_element(bytes[group].begin(), bytes[group].end());
  }
  load.bytes = std::move(bytes);
  const auto shares = fair_shares(load);
  for (std::size_t group = 0; group < results.size(); ++group) {
    results[group].fair_us = 1e6 / shares[group].operations_per_s;
    if (shares[group].link)
      results[group].link =
          fmt::format("{} {}", links[*shares[group].link / 2].name, *shares[group].link % 2 == 0 ? "up" : "down");
  }
}

}  // namespace ringmark::mix
