#include "history/answers/latest.hpp"

#include <algorithm>

#include "history/answers/fleets.hpp"
#include "history/answers/in_parallel.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

std::vector<std::string> cluster_names(Store& store) {
  std::vector<std::string> names;
  for (const auto& [name, launches] : clusters_in(store)) names.push_back(name);
  return names;
}

LatestLaunch latest_of(const std::string& cluster, const Chain& chain, const ChangeOptions& options) {
  LatestLaunch latest{cluster, values_of(chain.last()), chain.launches.back(), {}, {}, {}, {}};
  latest.busbw_GBps = bus_bandwidth_GBps(chain.last(), latest.launch.time_us);
  const auto points = chain.points();
  const auto changes = changes_in(points, options);
  auto before = at_present_level(points, changes);
  before.pop_back();
  latest.normal = envelope_of(before);
  if (latest.normal) {
    const auto rate = [&](double time_us) { return bus_bandwidth_GBps(chain.last(), time_us); };
    const auto low = rate(latest.normal->range_us.high), high = rate(latest.normal->range_us.low);
    if (low && high) latest.normal_busbw_GBps = Interval{*low, *high};
  }
  if (!changes.empty()) latest.change = LastChange{points[changes.back().first].time, changes.back().ratio};
  return latest;
}

void add_latest(const std::string& cluster, const Fleet& fleet, std::vector<LatestHost>& all) {
  std::vector<double> values;
  for (const auto& host : fleet.hosts) values.push_back(host.points.back().value);
  const auto middle = median(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    all.push_back({cluster, fleet.hosts[i].host, fleet.kind, values[i] / middle});
}

}  // namespace

std::vector<LatestLaunch> latest_launches(Store& store, int days) {
  std::vector<LatestLaunch> all;
  const auto series = all_series(store);
  for (const auto& cluster : cluster_names(store)) {
    const auto end = latest_launch(store, {.cluster = cluster});
    if (!end) continue;  // another process forgets launches
    const auto selection = over_days(store, {.cluster = cluster});
    auto chains = outlines_of(store, series, selection);
    std::erase_if(chains, [&](const Chain& chain) { return chain.span.last < *end - std::chrono::days(days); });
    read_launches(store, chains, selection);
    std::erase_if(chains, [](const Chain& chain) { return chain.launches.empty(); });
    ChangeOptions options;
    options.series = std::max<std::size_t>(chains.size(), 1);
    const auto first = all.size();
    all.resize(first + chains.size());
    in_parallel(chains.size(),
                [&] { return [&](std::size_t i) { all[first + i] = latest_of(cluster, chains[i], options); }; });
  }
  return all;
}

std::vector<LatestHost> latest_hosts(Store& store, int days) {
  std::vector<LatestHost> all;
  const auto series = all_series(store);
  for (const auto& cluster : cluster_names(store)) {
    for (const auto& fleet : Fleets(store, series, over_days(store, {.cluster = cluster}, days), Usual::of_case).all())
      add_latest(cluster, fleet, all);
  }
  return all;
}

std::vector<LatestVerdict> latest_verdicts(Store& store) {
  SQLite::Statement query(store.database(), "SELECT cluster, outcome, max(time) FROM verdict GROUP BY cluster");
  std::vector<LatestVerdict> all;
  while (query.executeStep()) {
    all.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), time_at(query, 2)});
  }
  return all;
}

std::vector<LatestRows> latest_rows(Store& store) {
  SQLite::Statement query(store.database(), R"(
    SELECT status, count(*) FROM launch JOIN result ON launch_id = launch.id
    WHERE cluster = ?1 AND time >= (SELECT max(time) FROM launch WHERE cluster = ?1) - ?2 GROUP BY status)");
  std::vector<LatestRows> all;
  for (const auto& cluster : cluster_names(store)) {
    auto& latest = all.emplace_back(LatestRows{cluster, {}});
    for (const auto status : {Status::ok, Status::wrong, Status::failed}) latest.rows[std::string(name(status))] = 0;
    query.reset();
    query.bind(1, cluster);
    query.bind(2, static_cast<std::int64_t>(ChangeOptions().same_night.count()));
    while (query.executeStep())
      latest.rows[query.getColumn(0).getString()] = static_cast<std::uint64_t>(query.getColumn(1).getInt64());
  }
  return all;
}

}  // namespace ringmark::history
