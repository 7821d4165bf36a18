#include "history/answers/fleets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

std::vector<Fleets::Relative> Fleets::relative_times(const std::vector<LaunchTime>& launches, double usual_us) {
  std::vector<Relative> relative;
  for (const auto& launch : launches)
    relative.push_back({launch.time, launch.launch, std::log(launch.time_us / usual_us)});
  return relative;
}

/// In time order, once for each launch. Sorts by counting, since a store of years has millions of times.
std::vector<Fleets::Relative> Fleets::medians_of_launches(const std::vector<Relative>& times) {
  if (times.empty()) return {};
  const auto [least, most] =
      std::minmax_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.launch < b.launch; });
  const auto place_of = [first = least->launch](const Relative& each) {
    return static_cast<std::size_t>(each.launch - first);
  };
  std::vector<std::size_t> ends(place_of(*most) + 1);
  for (const auto& each : times) ++ends[place_of(each)];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Relative> sorted(times.size());
  auto at = ends;
  for (const auto& each : times) sorted[--at[place_of(each)]] = each;
  std::vector<Relative> medians;
  std::vector<double> logs;
  for (std::size_t place = 0, begin = 0; place < ends.size(); begin = ends[place++]) {
    if (begin == ends[place]) continue;
    logs.clear();
    for (auto i = begin; i < ends[place]; ++i) logs.push_back(sorted[i].log);
    medians.push_back({sorted[begin].time, sorted[begin].launch, median(logs)});
  }
  std::stable_sort(medians.begin(), medians.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return medians;
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
    for (auto& launch : each.launches) launch.log += off;
  }
}

std::set<std::string> Fleets::kinds() const {
  std::set<std::string> kinds;
  for (const auto& each : series_) kinds.insert(each.kind);
  return kinds;
}

std::optional<Fleet> Fleets::fleet(const std::string& kind, const std::set<std::string>& without) const {
  Fleet fleet{kind, {}, {}};
  std::vector<Relative> of_all_hosts;
  std::map<std::string, std::vector<Relative>> of_host;
  const auto append = [](std::vector<Relative>& all, const std::vector<Relative>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& each : series_) {
    const auto is_left_out = [&](const std::string& end) { return without.contains(end); };
    if (each.kind != kind || std::any_of(each.ends.begin(), each.ends.end(), is_left_out)) continue;
    if (each.ends.empty()) append(of_all_hosts, each.launches);
    for (const auto& host : each.ends) append(of_host[host], each.launches);
    if (!each.ends.empty()) fleet.links.insert(each.ends);
  }
  auto sets = fleet.links;
  for (const auto& relative : medians_of_launches(of_all_hosts)) {
    const auto found = hosts_.find(relative.launch);
    if (found == hosts_.end()) continue;
    for (const auto& host : found->second) of_host[host].push_back(relative);
    sets.insert(found->second);
  }
  if (sets.size() < 2) return std::nullopt;
  for (const auto& [host, times] : of_host) {
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& each : medians_of_launches(times)) series.points.push_back({each.time, std::exp(each.log)});
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
