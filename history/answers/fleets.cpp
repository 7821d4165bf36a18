#include "history/answers/fleets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
  in_parallel_with_times(store.file(), selection, series.size(), [&](LaunchTimeReader& reader, std::size_t i) {
    const auto launches = reader.of(series[i].id);
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

/// In time order, one for each launch. A counting sort, since a store with years of results has millions of times.
std::vector<Fleets::Relative> Fleets::medians_of_launches(const std::vector<std::span<const Relative>>& parts) {
  auto least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
  for (const auto& part : parts) {
    for (const auto& each : part) least = std::min(least, each.launch), most = std::max(most, each.launch);
  }
  if (least > most) return {};
  struct Place {
    std::chrono::sys_seconds time;
    std::size_t end = 0;  ///< the number of its values while counting, then where they end
  };
  std::vector<Place> places(static_cast<std::size_t>(most - least) + 1);
  const auto place_of = [&](const Relative& each) -> Place& {
    return places[static_cast<std::size_t>(each.launch - least)];
  };
  for (const auto& part : parts) {
    for (const auto& each : part) {
      place_of(each).time = each.time;
      ++place_of(each).end;
    }
  }
  std::size_t count = 0;
  for (auto& place : places) count = std::exchange(place.end, count) + count;
  std::vector<double> logs(count);
  for (const auto& part : parts) {
    for (const auto& each : part) logs[place_of(each).end++] = each.log;
  }
  std::vector<Relative> medians;
  std::vector<double> of_one;
  for (std::size_t i = 0, begin = 0; i < places.size(); begin = places[i++].end) {
    if (begin == places[i].end) continue;
    of_one.assign(logs.begin() + static_cast<std::ptrdiff_t>(begin),
                  logs.begin() + static_cast<std::ptrdiff_t>(places[i].end));
    medians.push_back({places[i].time, least + static_cast<std::int64_t>(i), median(of_one)});
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
  using Parts = std::vector<std::span<const Relative>>;
  Parts of_all_hosts;
  std::map<std::string, Parts> of_host;
  for (const auto& each : series_) {
    const auto is_left_out = [&](const std::string& end) { return without.contains(end); };
    if (each.kind != kind || std::any_of(each.ends.begin(), each.ends.end(), is_left_out)) continue;
    if (each.ends.empty()) of_all_hosts.emplace_back(each.launches);
    for (const auto& host : each.ends) of_host[host].emplace_back(each.launches);
    if (!each.ends.empty()) fleet.links.insert(each.ends);
  }
  auto sets = fleet.links;
  std::map<std::string, std::vector<Relative>> shares;  // of launches in which all hosts took part
  for (const auto& relative : medians_of_launches(of_all_hosts)) {
    const auto found = hosts_.find(relative.launch);
    if (found == hosts_.end()) continue;
    for (const auto& host : found->second) shares[host].push_back(relative);
    sets.insert(found->second);
  }
  if (sets.size() < 2) return std::nullopt;
  for (const auto& [host, share] : shares) of_host[host].emplace_back(share);
  for (const auto& [host, parts] : of_host) {
    auto& series = fleet.hosts.emplace_back(HostSeries{host, {}});
    for (const auto& each : medians_of_launches(parts)) series.points.push_back({each.time, std::exp(each.log)});
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
