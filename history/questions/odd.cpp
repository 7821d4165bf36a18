#include "history/questions/odd.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "history/questions/nights.hpp"

namespace ringmark::history {
namespace {

constexpr std::size_t least_hosts = 3;

struct Cell {
  std::size_t host, night;
  std::chrono::sys_seconds time;
  double level;  ///< logarithm of the median; after polishing, the host's own deviation in that night
};

/// Maps the time of each launch of any host to the number of the fleet's night that it belongs to.
std::map<std::chrono::sys_seconds, std::size_t> nights_of_fleet(std::span<const HostSeries> hosts,
                                                                std::chrono::seconds length) {
  std::map<std::chrono::sys_seconds, std::size_t> night_at;
  for (const auto& host : hosts) {
    for (const auto& point : host.points) night_at.emplace(point.time, 0);
  }
  std::optional<std::chrono::sys_seconds> start;
  std::size_t night = 0;
  for (auto& [time, number] : night_at) {
    if (start && time - *start > length) ++night;
    if (!start || time - *start > length) start = time;
    number = night;
  }
  return night_at;
}

std::vector<Cell> cells_of(std::span<const HostSeries> hosts, std::chrono::seconds length) {
  const auto night_at = nights_of_fleet(hosts, length);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    std::map<std::size_t, std::vector<Point>> by_night;
    for (const auto& point : hosts[i].points) by_night[night_at.at(point.time)].push_back(point);
    for (const auto& [night, points] : by_night) {
      const auto one = nights_of(points, length);
      cells.push_back({i, night, one.front().time, one.front().level});
    }
  }
  std::map<std::size_t, std::size_t> hosts_in;
  for (const auto& cell : cells) ++hosts_in[cell.night];
  std::erase_if(cells, [&](const Cell& cell) { return hosts_in[cell.night] < least_hosts; });
  return cells;
}

/// Subtracts the median of each group from its cells. Returns the largest absolute median.
double sweep(std::vector<Cell>& cells, std::size_t Cell::*group) {
  std::map<std::size_t, std::vector<double>> levels;
  for (const auto& cell : cells) levels[cell.*group].push_back(cell.level);
  std::map<std::size_t, double> medians;
  double largest = 0;
  for (auto& [key, values] : levels) {
    medians[key] = median(std::move(values));
    largest = std::max(largest, std::abs(medians[key]));
  }
  for (auto& cell : cells) cell.level -= medians[cell.*group];
  return largest;
}

/// Tukey's median polish: a level for each host and one for each night.
void polish(std::vector<Cell>& cells) {
  constexpr int most_rounds = 20;
  constexpr double enough = 1e-5;
  for (int round = 0; round < most_rounds; ++round) {
    const double of_hosts = sweep(cells, &Cell::host), of_nights = sweep(cells, &Cell::night);
    if (of_hosts < enough && of_nights < enough) return;
  }
}

/// The interval of the product of the ratios. It is slightly too wide, since adjacent changes share a level.
Interval interval_of(const std::vector<Change>& changes, double ratio) {
  const auto squared_log = [](double of) { return std::log(of) * std::log(of); };
  double below = 0, above = 0;
  for (const auto& change : changes) {
    below += squared_log(change.ratio / change.interval.low);
    above += squared_log(change.interval.high / change.ratio);
  }
  return {ratio * std::exp(-std::sqrt(below)), ratio * std::exp(std::sqrt(above))};
}

std::optional<OddHost> judge(const std::string& host, std::span<const Point> relative, const ChangeOptions& options) {
  const auto changes = changes_in(relative, options);
  double ratio = 1;
  for (const auto& change : changes) ratio *= change.ratio;
  if (changes.empty() || std::abs(std::log(ratio)) < std::log1p(options.least_percent / 100)) return std::nullopt;
  const auto& last = changes.back();
  return OddHost{host, last.kind, relative[last.first].time, ratio, interval_of(changes, ratio), last.p};
}

}  // namespace

std::vector<OddHost> odd_hosts(std::span<const HostSeries> hosts, const ChangeOptions& options) {
  auto cells = cells_of(hosts, options.same_night);
  polish(cells);
  std::map<std::size_t, std::vector<Point>> relative;
  for (const auto& cell : cells) relative[cell.host].push_back({cell.time, std::exp(cell.level)});
  auto of_one = options;
  of_one.series = std::max<std::size_t>(1, options.series) * std::max<std::size_t>(1, relative.size());
  std::vector<OddHost> odd;
  for (const auto& [host, points] : relative) {
    if (const auto found = judge(hosts[host].host, points, of_one)) odd.push_back(*found);
  }
  const auto size = [](const OddHost& host) { return std::abs(std::log(host.ratio)); };
  std::stable_sort(odd.begin(), odd.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  return odd;
}

}  // namespace ringmark::history
