#include "history/page/series_chart.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

constexpr std::size_t most_points = 120;

/// The values of a chart: bus bandwidth where the series has one, otherwise the time.
class Unit {
 public:
  explicit Unit(const Series& series) : series_(series), has_rate_(bus_bandwidth_GBps(series, 1).has_value()) {}

  bool has_rate() const { return has_rate_; }
  const char* name() const { return has_rate_ ? "GB/s bus" : "µs"; }
  double of(double time_us) const {
    constexpr double digits = 1e4;
    const double value = has_rate_ ? *bus_bandwidth_GBps(series_, time_us) : time_us;
    const double scale = std::pow(10, std::floor(std::log10(value))) / digits;
    return std::round(value / scale) * scale;
  }
  /// From the lower to the higher value.
  std::pair<double, double> of(const Interval& times_us) const {
    return has_rate_ ? std::pair(of(times_us.high), of(times_us.low)) : std::pair(of(times_us.low), of(times_us.high));
  }

 private:
  const Series& series_;
  bool has_rate_;
};

std::chrono::seconds length_of_points(const Chain& chain) {
  using std::chrono::days;
  if (chain.launches.size() <= most_points) return std::chrono::seconds(1);
  const auto span = chain.launches.back().time - chain.launches.front().time;
  for (const auto length : {days(1), days(7), days(28)}) {
    if (span < most_points * length) return length;
  }
  return days(91);
}

/// [time, value, low, high, launches, median launch, slowest launch]
PageJson point_of(std::vector<LaunchTime> launches, const Unit& unit, LinkedLaunches& linked) {
  std::sort(launches.begin(), launches.end(), [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
  const auto& middle = launches[(launches.size() - 1) / 2];
  std::vector<double> times_us;
  for (const auto& launch : launches) times_us.push_back(launch.time_us);
  const Sorted sorted(std::move(times_us));
  PageJson low, high;
  if (const auto interval = sorted.median_interval()) std::tie(low, high) = unit.of(*interval);
  return {page_time(middle.time),
          unit.of(sorted.median()),
          low,
          high,
          launches.size(),
          linked.number_of(middle.launch),
          linked.number_of(launches.back().launch)};
}

PageJson points_of(const Chain& chain, const Unit& unit, LinkedLaunches& linked) {
  const auto length = length_of_points(chain);
  auto points = PageJson::array();
  const auto period = [&](const LaunchTime& launch) { return launch.time.time_since_epoch() / length; };
  for (auto begin = chain.launches.begin(); begin != chain.launches.end();) {
    const auto end = std::find_if(begin, chain.launches.end(),
                                  [&](const LaunchTime& launch) { return period(launch) != period(*begin); });
    points.push_back(point_of({begin, end}, unit, linked));
    begin = end;
  }
  return points;
}

}  // namespace

std::int64_t page_time(std::chrono::sys_seconds time) { return time.time_since_epoch().count(); }

std::size_t LinkedLaunches::number_of(std::int64_t launch) {
  const auto [found, is_new] = numbers_.try_emplace(launch, launches_.size());
  if (is_new) launches_.push_back(launch);
  return found->second;
}

PageJson LinkedLaunches::to_json(Store& store) const {
  auto rows = PageJson::array();
  for (const auto launch : launches_) {
    const auto origin = origin_of_launch(store, launch);
    rows.push_back({origin.key, page_time(origin.time), origin.file});
  }
  return rows;
}

SeriesChart series_chart(const std::string& name, const Chain& chain, const std::vector<Change>& changes,
                         LinkedLaunches& linked) {
  const Unit unit(chain.last());
  const auto workload = chain.last().row.record.collective.only();
  SeriesChart chart;
  chart.operation = workload ? std::string(ringmark::name(*workload)) : "several operations";
  auto shown = PageJson::array();
  for (const auto& change : changes) {
    chart.badness += std::log(change.ratio);
    shown.push_back({page_time(chain.launches[change.first].time), change.ratio, change.interval.low,
                     change.interval.high, change.kind == Change::Kind::drift ? "drift" : "step"});
  }
  chart.json = {{"name", name}, {"unit", unit.name()}, {"launches", chain.launches.size()}};
  const auto points = chain.points();
  const auto since = changes.empty() ? 0 : changes.back().last;
  const auto envelope = envelope_of(std::span(points).subspan(since), 0.99);
  if (envelope) {
    const auto [low, high] = unit.of(envelope->range_us);
    const auto latest_us = chain.launches.back().time_us;
    chart.is_slower = envelope->judge(latest_us) == Place::above;
    if (chart.is_slower) chart.badness += std::log(latest_us / envelope->median_us);
    chart.json["normal"] = {page_time(points[since].time), low, high, unit.of(envelope->median_us)};
    if (chart.is_slower) chart.json["slower"] = point_of({chain.launches.back()}, unit, linked);
  }
  chart.json["changes"] = std::move(shown);
  chart.json["points"] = points_of(chain, unit, linked);
  return chart;
}

}  // namespace ringmark::history
