#include "history/answers/fleets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/units.hpp"
#include "history/answers/in_parallel.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

/// Logarithms of the times of one launch over the usual times of their series.
struct Gathered {
  std::chrono::sys_seconds time;
  std::int64_t launch = 0;
  double logs = 0;
  std::size_t count = 0;

  bool operator<(const Gathered& other) const { return std::pair(time, launch) < std::pair(other.time, other.launch); }
};

using Hosts = std::vector<std::string>;
using ByLaunch = std::vector<Gathered>;  ///< in the order of time, once for each launch

/// Both are in order, so that millions of launches are passed once.
void add(ByLaunch& all, const ByLaunch& more) {
  const auto known = static_cast<std::ptrdiff_t>(all.size());
  std::ptrdiff_t at = 0;
  for (const auto& each : more) {
    while (at < known && all[static_cast<std::size_t>(at)] < each) ++at;
    if (at < known && !(each < all[static_cast<std::size_t>(at)])) {
      all[static_cast<std::size_t>(at)].logs += each.logs;
      all[static_cast<std::size_t>(at)].count += each.count;
    } else {
      all.push_back(each);
    }
  }
  std::inplace_merge(all.begin(), all.begin() + known, all.end());
}

struct Kind {
  ByLaunch launches;                      ///< in which all hosts of the launch took part
  std::map<std::string, ByLaunch> hosts;  ///< in which these took part, as ends of links
  std::set<Hosts> links;
};

/// Latency and bandwidth may change without each other.
std::string kind_of(const Series& series) {
  constexpr std::size_t large = mebi;
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  return fmt::format("{}, {}", workload ? name(*workload) : "several operations",
                     record.size_bytes >= large ? "1M and more" : "less than 1M");
}

ByLaunch relative_times(const std::vector<LaunchTime>& launches) {
  std::vector<double> times_us;
  for (const auto& launch : launches) times_us.push_back(launch.time_us);
  const auto typical_us = median(std::move(times_us));
  ByLaunch relative;
  for (const auto& launch : launches)
    relative.push_back({launch.time, launch.launch, std::log(launch.time_us / typical_us), 1});
  return relative;
}

void gather(Kind& kind, const Series& series, const ByLaunch& launches) {
  const auto& settings = series.row.record.settings;
  Hosts ends{settings.src_host, settings.dst_host};
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::erase(ends, "");
  if (ends.empty()) add(kind.launches, launches);
  for (const auto& host : ends) add(kind.hosts[host], launches);
  if (!ends.empty()) kind.links.insert(ends);
}

/// Gives what launches of all their hosts have to each of them. Returns the number of different sets of hosts.
std::size_t share(Kind& kind, const std::map<std::int64_t, Hosts>& hosts) {
  auto sets = kind.links;
  std::map<std::string, ByLaunch> shares;
  for (const auto& gathered : kind.launches) {
    const auto found = hosts.find(gathered.launch);
    if (found == hosts.end()) continue;
    for (const auto& host : found->second) shares[host].push_back(gathered);
    sets.insert(found->second);
  }
  for (const auto& [host, launches] : shares) add(kind.hosts[host], launches);
  return sets.size();
}

Fleet fleet_of(const std::string& name, const Kind& kind) {
  Fleet fleet{name, {}};
  for (const auto& [host, launches] : kind.hosts) {
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& each : launches)
      series.points.push_back({each.time, std::exp(each.logs / static_cast<double>(each.count))});
  }
  return fleet;
}

}  // namespace

std::vector<Fleet> fleets_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  std::map<std::string, Kind> kinds;
  std::vector<ByLaunch> launches(series.size());
  in_parallel_with_stores(store.file(), series.size(), [&](Store& own, std::size_t i) {
    const auto times = launch_times(own, series[i].id, selection);
    if (!times.empty()) launches[i] = relative_times(times);
  });
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!launches[i].empty()) gather(kinds[kind_of(series[i])], series[i], launches[i]);
  }
  const auto hosts = hosts_of_launches(store, selection);
  std::vector<Fleet> fleets;
  for (auto& [name, kind] : kinds) {
    if (share(kind, hosts) > 1) fleets.push_back(fleet_of(name, kind));
  }
  return fleets;
}

}  // namespace ringmark::history
