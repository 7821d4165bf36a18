#include "history/answers/fleets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "history/answers/in_parallel.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

using Hosts = std::vector<std::string>;

/// Latency and bandwidth may change without each other.
std::string kind_of(const Series& series) {
  constexpr std::size_t large = mebi;
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  return fmt::format("{}, {}", workload ? name(*workload) : "several operations",
                     record.size_bytes >= large ? "1M and more" : "less than 1M");
}

Hosts ends_of(const Series& series) {
  const auto& settings = series.row.record.settings;
  Hosts ends{settings.src_host, settings.dst_host};
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::erase(ends, "");
  return ends;
}

/// The same for all links that were measured in the same way.
std::string case_of_links(const Series& series) {
  auto values = values_of(series);
  for (const char* end : {"src", "dst", "src_host", "dst_host"}) values.erase(end);
  return fmt::format("{}", fmt::join(values, "\n"));
}

double median_time_us(const std::vector<LaunchTime>& launches) {
  std::vector<double> times_us;
  for (const auto& launch : launches) times_us.push_back(launch.time_us);
  return median(std::move(times_us));
}

}  // namespace

bool Fleets::Gathered::operator<(const Gathered& other) const {
  return std::pair(time, launch) < std::pair(other.time, other.launch);
}

Fleets::Fleets(Store& store, const std::vector<Series>& series, const Selection& selection, Usual usual)
    : series_(series.size()), hosts_(hosts_of_launches(store, selection)) {
  in_parallel_with_stores(store.file(), series.size(), [&](Store& own, std::size_t i) {
    const auto launches = launch_times(own, series[i].id, selection);
    if (launches.empty()) return;
    const auto usual_us = median_time_us(launches);
    series_[i] = {kind_of(series[i]), "", ends_of(series[i]), usual_us, relative_times(launches, usual_us)};
    if (usual == Usual::of_case) series_[i].of_case = case_of_links(series[i]);
  });
  std::erase_if(series_, [](const SeriesTimes& each) { return each.launches.empty(); });
  if (usual == Usual::of_case) compare_within_cases();
}

Fleets::ByLaunch Fleets::relative_times(const std::vector<LaunchTime>& launches, double usual_us) {
  ByLaunch relative;
  for (const auto& launch : launches)
    relative.push_back({launch.time, launch.launch, std::log(launch.time_us / usual_us), 1});
  return relative;
}

void Fleets::compare_within_cases() {
  std::map<std::string, std::vector<double>> usual_us;
  for (const auto& each : series_) {
    if (!each.ends.empty()) usual_us[each.of_case].push_back(each.usual_us);
  }
  std::map<std::string, double> of_case_us;
  for (auto& [of_case, times_us] : usual_us) of_case_us[of_case] = median(std::move(times_us));
  for (auto& each : series_) {
    if (each.ends.empty()) continue;
    const double off = std::log(each.usual_us / of_case_us.at(each.of_case));
    for (auto& launch : each.launches) launch.logs += off;
  }
}

/// Both are in order, so that millions of launches are passed once.
void Fleets::add(ByLaunch& all, const ByLaunch& more) {
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

std::set<std::string> Fleets::kinds() const {
  std::set<std::string> kinds;
  for (const auto& each : series_) kinds.insert(each.kind);
  return kinds;
}

std::optional<Fleet> Fleets::fleet(const std::string& kind, const std::set<std::string>& without) const {
  Fleet fleet{kind, {}, {}};
  ByLaunch of_all_hosts;
  std::map<std::string, ByLaunch> of_host;
  for (const auto& each : series_) {
    const auto is_left_out = [&](const std::string& end) { return without.contains(end); };
    if (each.kind != kind || std::any_of(each.ends.begin(), each.ends.end(), is_left_out)) continue;
    if (each.ends.empty()) add(of_all_hosts, each.launches);
    for (const auto& host : each.ends) add(of_host[host], each.launches);
    if (!each.ends.empty()) fleet.links.insert(each.ends);
  }
  auto sets = fleet.links;
  std::map<std::string, ByLaunch> shares;
  for (const auto& gathered : of_all_hosts) {
    const auto found = hosts_.find(gathered.launch);
    if (found == hosts_.end()) continue;
    for (const auto& host : found->second) shares[host].push_back(gathered);
    sets.insert(found->second);
  }
  if (sets.size() < 2) return std::nullopt;
  for (const auto& [host, launches] : shares) add(of_host[host], launches);
  for (const auto& [host, launches] : of_host) {
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& each : launches)
      series.points.push_back({each.time, std::exp(each.logs / static_cast<double>(each.count))});
  }
  return fleet;
}

std::vector<Fleet> Fleets::all() const {
  std::vector<Fleet> fleets;
  for (const auto& kind : kinds()) {
    if (auto found = fleet(kind)) fleets.push_back(std::move(*found));
  }
  return fleets;
}

}  // namespace ringmark::history
