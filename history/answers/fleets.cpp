#include "history/answers/fleets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/units.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

/// Logarithms of the times of one launch over the usual times of their series.
struct Gathered {
  std::chrono::sys_seconds time;
  double logs = 0;
  std::size_t count = 0;

  void add(std::chrono::sys_seconds when, double log) {
    time = when;
    logs += log;
    ++count;
  }
  void add(const Gathered& other) {
    time = other.time;
    logs += other.logs;
    count += other.count;
  }
};

using Hosts = std::vector<std::string>;
using ByLaunch = std::unordered_map<std::int64_t, Gathered>;

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

double median_time_us(const std::vector<LaunchTime>& launches) {
  std::vector<double> times_us;
  for (const auto& launch : launches) times_us.push_back(launch.time_us);
  return median(std::move(times_us));
}

void gather(Kind& kind, const Series& series, const std::vector<LaunchTime>& launches) {
  const auto& settings = series.row.record.settings;
  Hosts ends{settings.src_host, settings.dst_host};
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::erase(ends, "");
  const auto typical_us = median_time_us(launches);
  const auto gather_in = [&](ByLaunch& by_launch) {
    for (const auto& launch : launches)
      by_launch[launch.launch].add(launch.time, std::log(launch.time_us / typical_us));
  };
  if (ends.empty()) gather_in(kind.launches);
  for (const auto& host : ends) gather_in(kind.hosts[host]);
  if (!ends.empty()) kind.links.insert(ends);
}

/// Gives what launches of all their hosts have to each of them. Returns the number of different sets of hosts.
std::size_t share(Kind& kind, const std::map<std::int64_t, Hosts>& hosts) {
  auto sets = kind.links;
  for (const auto& [launch, gathered] : kind.launches) {
    const auto found = hosts.find(launch);
    if (found == hosts.end()) continue;
    for (const auto& host : found->second) kind.hosts[host][launch].add(gathered);
    sets.insert(found->second);
  }
  return sets.size();
}

Fleet fleet_of(const std::string& name, const Kind& kind) {
  Fleet fleet{name, {}};
  for (const auto& [host, launches] : kind.hosts) {
    std::vector<std::pair<std::int64_t, Gathered>> order(launches.begin(), launches.end());
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.time, a.first) < std::pair(b.second.time, b.first);
    });
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& [launch, gathered] : order)
      series.points.push_back({gathered.time, std::exp(gathered.logs / static_cast<double>(gathered.count))});
  }
  return fleet;
}

}  // namespace

std::vector<Fleet> fleets_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  std::map<std::string, Kind> kinds;
  const auto times = launch_times_of(store, series, selection);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!times[i].empty()) gather(kinds[kind_of(series[i])], series[i], times[i]);
  }
  const auto hosts = hosts_of_launches(store, selection);
  std::vector<Fleet> fleets;
  for (auto& [name, kind] : kinds) {
    if (share(kind, hosts) > 1) fleets.push_back(fleet_of(name, kind));
  }
  return fleets;
}

}  // namespace ringmark::history
