#include "history/answers/fleets.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/units.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

/// By time and launch, for the order of points.
using LaunchId = std::pair<std::chrono::sys_seconds, std::int64_t>;
using TimesOfHost = std::map<LaunchId, std::vector<double>>;

struct Gathered {
  std::map<std::string, TimesOfHost> hosts;
  std::set<std::set<std::string>> sets;  ///< of hosts that took part together
};

/// Latency and bandwidth may change without each other.
std::string kind_of(const Series& series) {
  constexpr std::size_t large = mebi;
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  return fmt::format("{}, {}", workload ? name(*workload) : "several operations",
                     record.size_bytes >= large ? "1M and more" : "less than 1M");
}

std::set<std::string> hosts_of_launch(Store& store, std::int64_t launch) {
  SQLite::Statement query(store.database(), "SELECT host FROM launch_host WHERE launch_id = ?");
  query.bind(1, launch);
  std::set<std::string> hosts;
  while (query.executeStep()) hosts.insert(query.getColumn(0).getString());
  return hosts;
}

double median_time_us(const std::vector<LaunchTime>& launches) {
  std::vector<double> times_us;
  for (const auto& launch : launches) times_us.push_back(launch.time_us);
  return median(std::move(times_us));
}

bool tells_hosts_apart(const Gathered& gathered) { return gathered.sets.size() > 1; }

Fleet fleet_of(const std::string& kind, const Gathered& gathered) {
  Fleet fleet{kind, {}};
  for (const auto& [host, launches] : gathered.hosts) {
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& [launch, times] : launches) series.points.push_back({launch.first, geometric_mean(times)});
  }
  return fleet;
}

}  // namespace

std::vector<Fleet> fleets_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  std::map<std::string, Gathered> by_kind;
  std::map<std::int64_t, std::set<std::string>> known;
  for (const auto& each : series) {
    const auto& settings = each.row.record.settings;
    auto& gathered = by_kind[kind_of(each)];
    const auto launches = launch_times(store, each.id, selection);
    if (launches.empty()) continue;
    const auto typical_us = median_time_us(launches);
    for (const auto& launch : launches) {
      std::set<std::string> hosts{settings.src_host, settings.dst_host};
      hosts.erase("");
      if (hosts.empty()) {
        const auto [found, is_new] = known.try_emplace(launch.launch);
        if (is_new) found->second = hosts_of_launch(store, launch.launch);
        hosts = found->second;
      }
      for (const auto& host : hosts)
        gathered.hosts[host][{launch.time, launch.launch}].push_back(launch.time_us / typical_us);
      gathered.sets.insert(std::move(hosts));
    }
  }
  std::vector<Fleet> fleets;
  for (const auto& [kind, gathered] : by_kind) {
    if (tells_hosts_apart(gathered)) fleets.push_back(fleet_of(kind, gathered));
  }
  return fleets;
}

}  // namespace ringmark::history
