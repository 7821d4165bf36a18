#include "history/page/fleet_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

using Week = std::int64_t;  ///< weeks since 1970, which begin on Monday

constexpr std::chrono::seconds week_length = std::chrono::weeks(1);
constexpr std::chrono::seconds first_monday = std::chrono::days(4);

Week week_of(std::chrono::sys_seconds time) { return (time.time_since_epoch() - first_monday) / week_length; }

struct HostWeeks {
  std::string host;
  std::map<Week, double> times;  ///< medians, relative to the usual time
};

HostWeeks weeks_of(const HostSeries& series) {
  std::map<Week, std::vector<double>> times;
  for (const auto& point : series.points) times[week_of(point.time)].push_back(point.value);
  HostWeeks weeks{series.host, {}};
  for (auto& [week, values] : times) weeks.times[week] = median(std::move(values));
  return weeks;
}

double rounded(double percent) { return std::round(10 * percent) / 10; }

}  // namespace

PageJson fleet_map(const Fleet& fleet) {
  std::vector<HostWeeks> hosts;
  std::map<Week, std::vector<double>> of_fleet;
  for (const auto& series : fleet.hosts) {
    const auto& host = hosts.emplace_back(weeks_of(series));
    for (const auto& [week, time] : host.times) of_fleet[week].push_back(time);
  }
  std::map<Week, double> middle;
  for (auto& [week, times] : of_fleet) middle[week] = median(std::move(times));
  std::vector<std::pair<double, PageJson>> rows;  // the median of the last weeks, and the row
  for (const auto& host : hosts) {
    auto percents = PageJson::array();
    std::vector<double> last;
    for (const auto& [week, time] : middle) {
      const auto found = host.times.find(week);
      percents.push_back(found == host.times.end() ? PageJson() : PageJson(rounded(100 * time / found->second)));
      if (found != host.times.end()) last.push_back(100 * time / found->second);
    }
    constexpr std::size_t recent = 4;
    last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(std::min(recent, last.size())));
    rows.emplace_back(median(std::move(last)), PageJson{host.host, std::move(percents)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  PageJson map{{"kind", fleet.kind}, {"weeks", PageJson::array()}, {"hosts", PageJson::array()}};
  for (const auto& [week, time] : middle)
    map["weeks"].push_back(page_time(std::chrono::sys_seconds(first_monday + week * week_length)));
  for (auto& [badness, row] : rows) map["hosts"].push_back(std::move(row));
  return map;
}

}  // namespace ringmark::history
