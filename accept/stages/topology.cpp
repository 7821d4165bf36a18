#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "accept/fabric/near_hosts.hpp"
#include "accept/judge/signs.hpp"
#include "accept/stages/stages.hpp"

namespace ringmark::accept {

std::vector<Leaf> infer_leaves(Site& site) {
  const auto& hosts = site.hosts;
  if (hosts.size() < fewest_hosts_for_groups || hosts.size() > most_hosts_with_all_pairs) return {};
  site.cluster.measure_on(hosts);
  constexpr double never = 1e9;
  std::vector fastest_us(hosts.size(), std::vector(hosts.size(), never));
  std::vector<std::size_t> ends;  // by rank
  for (std::size_t end = 0; end < hosts.size(); ++end) ends.push_back(end);
  constexpr std::size_t launches = 3;
  for (std::size_t number = 1; number <= launches; ++number) {
    const auto name = launch_name("answers", number);
    const auto launch = site.launch(name, answers_measurement(hosts.size()));
    if (leaves_out_lost(site, launch, name, 1)) return infer_leaves(site);
    if (!launch.failure.empty()) return {};
    for (const auto& pair : signs_of(launch.rows, ends)) {
      if (!pair.latency_us) continue;
      auto& fastest = fastest_us[std::min(pair.from, pair.to)][std::max(pair.from, pair.to)];
      fastest = std::min(fastest, *pair.latency_us);
    }
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t j = i + 1; j < hosts.size(); ++j) {
      if (fastest_us[i][j] == never) return {};
      fastest_us[j][i] = fastest_us[i][j];
    }
  }
  std::vector<Leaf> leaves;
  for (const auto& group : groups_of_near_hosts(fastest_us)) {
    leaves.push_back({fmt::format("{}'s leaf", site.host_name(hosts[group.front()])), {}});
    for (const auto place : group) leaves.back().hosts.push_back(hosts[place]);
  }
  return leaves;
}

}  // namespace ringmark::accept
