#include "accept/fabric/near_hosts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

using Group = std::vector<std::size_t>;

/// The gap between near and far, as a fraction of the usual response time and of the spread among near hosts. In 4,000
/// clusters of six or more hosts without switches, whose pairs differ by 2 %, no groups are found.
constexpr double least_gap = 0.04, least_gap_to_spread = 0.5;

/// A host and those near it; empty if none stand apart.
Group near_to(std::size_t host, const std::vector<double>& answers_us, double usual_us) {
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t other = 0; other < answers_us.size(); ++other) {
    if (other != host) others.emplace_back(answers_us[other], other);
  }
  std::sort(others.begin(), others.end());
  std::size_t near = 0;
  double gap = 0;
  for (std::size_t i = 1; i < others.size(); ++i) {
    if (const double here = others[i].first - others[i - 1].first; here > gap) {
      gap = here;
      near = i;
    }
  }
  if (near == 0) return {};
  const double spread = others[near - 1].first - others.front().first;
  if (gap < least_gap * usual_us || gap < least_gap_to_spread * spread) return {};
  Group group{host};
  for (std::size_t i = 0; i < near; ++i) group.push_back(others[i].second);
  std::sort(group.begin(), group.end());
  return group;
}

}  // namespace

std::vector<Group> groups_of_near_hosts(const std::vector<std::vector<double>>& answers_us) {
  const auto hosts = answers_us.size();
  if (hosts < fewest_hosts_for_groups) return {};
  std::vector<double> usual_us;
  for (std::size_t host = 0; host < hosts; ++host) {
    auto others = answers_us[host];
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(host));
    usual_us.push_back(median(std::move(others)));
  }
  const double of_all_us = median(usual_us);
  std::set<Group> groups;
  std::size_t members = 0;
  for (std::size_t host = 0; host < hosts; ++host) {
    // Without what each end adds: a slow host is far from all others.
    auto path_us = answers_us[host];
    for (std::size_t other = 0; other < hosts; ++other) path_us[other] -= usual_us[host] + usual_us[other];
    auto group = near_to(host, path_us, of_all_us);
    if (group.empty()) return {};
    if (const auto size = group.size(); groups.insert(std::move(group)).second) members += size;
  }
  // Each host is in the group it found: if groups have no further members, all members agree on their group.
  if (groups.size() < 2 || members != hosts) return {};
  return {groups.begin(), groups.end()};
}

}  // namespace ringmark::accept
