#include "history/store/launch_times.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "results/schema/caveat.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

// A blob is an array of these.
static_assert(std::is_trivially_copyable_v<LaunchTime> && sizeof(LaunchTime) == 24);
static_assert(std::endian::native == std::endian::little, "a store moves between machines");

constexpr std::int64_t week_s = std::chrono::seconds(std::chrono::weeks(1)).count();
constexpr std::int64_t week_of(std::int64_t time_s) { return time_s / week_s; }
std::int64_t seconds_of(const LaunchTime& launch) { return launch.time.time_since_epoch().count(); }

bool is_before(const LaunchTime& a, const LaunchTime& b) {
  return std::tie(a.time, a.launch) < std::tie(b.time, b.launch);
}

bool may_decide(std::string_view caveats) {
  for (std::size_t begin = 0; begin < caveats.size();) {
    const auto end = std::min(caveats.find(' ', begin), caveats.size());
    const auto caveat = parse_caveat(caveats.substr(begin, end - begin));
    if (caveat && forbids_decision(*caveat)) return false;
    begin = end + 1;
  }
  return true;
}

std::vector<LaunchTime> unpacked(const SQLite::Column& blob) {
  std::vector<LaunchTime> launches(static_cast<std::size_t>(blob.getBytes()) / sizeof(LaunchTime));
  if (!launches.empty()) std::memcpy(launches.data(), blob.getBlob(), launches.size() * sizeof(LaunchTime));
  return launches;
}

/// Changes weeks of one series after the other.
class Weeks {
 public:
  explicit Weeks(SQLite::Database& database)
      : find_(database, "SELECT times FROM launch_times WHERE series_id = ? AND cluster = ? AND week = ?"),
        put_(database, "INSERT OR REPLACE INTO launch_times(series_id, cluster, week, times) VALUES(?, ?, ?, ?)"),
        remove_(database, "DELETE FROM launch_times WHERE series_id = ? AND cluster = ? AND week = ?") {}

  /// Takes these launches out, and puts `added` in.
  void change(std::int64_t series, const std::string& cluster, std::int64_t week, const std::set<std::int64_t>& out,
              const std::vector<LaunchTime>& added) {
    bind(find_, series, cluster, week);
    auto launches = find_.executeStep() ? unpacked(find_.getColumn(0)) : std::vector<LaunchTime>();
    std::erase_if(launches, [&](const LaunchTime& each) { return out.contains(each.launch); });
    launches.insert(launches.end(), added.begin(), added.end());
    std::sort(launches.begin(), launches.end(), is_before);
    auto& statement = launches.empty() ? remove_ : put_;
    bind(statement, series, cluster, week);
    if (!launches.empty())
      statement.bindNoCopy(4, launches.data(), static_cast<int>(launches.size() * sizeof(LaunchTime)));
    statement.exec();
  }

 private:
  static void bind(SQLite::Statement& statement, std::int64_t series, const std::string& cluster, std::int64_t week) {
    statement.reset();
    statement.bind(1, series);
    statement.bind(2, cluster);
    statement.bind(3, week);
  }

  SQLite::Statement find_, put_, remove_;
};

/// When a launch was, and on which cluster.
struct Place {
  std::string cluster;
  std::chrono::sys_seconds time;
};

std::map<std::int64_t, Place> places_of(SQLite::Database& database, std::optional<std::int64_t> launch) {
  SQLite::Statement query(database,
                          fmt::format("SELECT id, cluster, time FROM launch {}", launch ? "WHERE id = ?" : ""));
  if (launch) query.bind(1, *launch);
  std::map<std::int64_t, Place> places;
  while (query.executeStep())
    places[query.getColumn(0).getInt64()] = {
        query.getColumn(1).getString(), std::chrono::sys_seconds(std::chrono::seconds(query.getColumn(2).getInt64()))};
  return places;
}

/// Takes the times of rows, sorted by series and launch.
class Derivation {
 public:
  Derivation(SQLite::Database& database, std::map<std::int64_t, Place> places)
      : weeks_(database), places_(std::move(places)) {}

  void add(std::int64_t series, std::int64_t launch, double time_us) {
    if (series != series_) {
      end_series();
    } else if (launch != launch_) {
      end_launch();
    }
    series_ = series;
    launch_ = launch;
    times_us_.push_back(time_us);
  }

  void end_series() {
    end_launch();
    for (const auto& [week, launches] : of_series_) {
      std::set<std::int64_t> known;
      for (const auto& each : launches) known.insert(each.launch);
      weeks_.change(series_, week.first, week.second, known, launches);
    }
    of_series_.clear();
  }

 private:
  void end_launch() {
    if (times_us_.empty()) return;
    const auto& place = places_.at(launch_);
    const LaunchTime time{launch_, place.time, geometric_mean(times_us_)};
    of_series_[{place.cluster, week_of(seconds_of(time))}].push_back(time);
    times_us_.clear();
  }

  Weeks weeks_;
  std::map<std::int64_t, Place> places_;
  std::int64_t series_ = 0, launch_ = 0;
  std::vector<double> times_us_;                                                       ///< of the launch
  std::map<std::pair<std::string, std::int64_t>, std::vector<LaunchTime>> of_series_;  ///< by cluster and week
};

std::vector<std::int64_t> launches_of_host(SQLite::Database& database, const std::string& host) {
  SQLite::Statement query(database, "SELECT launch_id FROM launch_host WHERE host = ? ORDER BY launch_id");
  query.bind(1, host);
  std::vector<std::int64_t> launches;
  while (query.executeStep()) launches.push_back(query.getColumn(0).getInt64());
  return launches;
}

std::string weeks_where(const Selection& selection, std::string_view order) {
  return fmt::format("SELECT times FROM launch_times WHERE series_id = ?1 AND {} AND week >= ?3 AND week <= ?4 {}",
                     selection.cluster.empty() ? "?2 = ''" : "cluster = ?2", order);
}

}  // namespace

LaunchTimeReader::LaunchTimeReader(Store& store, Selection selection)
    : selection_(std::move(selection)),
      weeks_(store.database(), weeks_where(selection_, "ORDER BY week")),
      weeks_backwards_(store.database(), weeks_where(selection_, "ORDER BY week DESC")) {
  if (!selection_.host.empty()) of_host_ = launches_of_host(store.database(), selection_.host);
  for (auto* query : {&weeks_, &weeks_backwards_}) {
    query->bind(2, selection_.cluster);
    query->bind(3, week_of(selection_.since_s()));
    query->bind(4, week_of(selection_.until_s()));
  }
}

std::vector<LaunchTime> LaunchTimeReader::selected_of_week(SQLite::Statement& query) const {
  auto launches = unpacked(query.getColumn(0));
  std::erase_if(launches, [&](const LaunchTime& each) {
    const auto time_s = seconds_of(each);
    return time_s < selection_.since_s() || time_s >= selection_.until_s() ||
           (!selection_.host.empty() && !std::binary_search(of_host_.begin(), of_host_.end(), each.launch));
  });
  return launches;
}

std::vector<LaunchTime> LaunchTimeReader::of(std::int64_t series) {
  weeks_.reset();
  weeks_.bind(1, series);
  std::vector<LaunchTime> launches;
  while (weeks_.executeStep()) {
    const auto week = selected_of_week(weeks_);
    launches.insert(launches.end(), week.begin(), week.end());
  }
  // Weeks of several clusters overlap.
  if (selection_.cluster.empty()) std::sort(launches.begin(), launches.end(), is_before);
  return launches;
}

std::optional<std::chrono::sys_seconds> LaunchTimeReader::end_of(SQLite::Statement& query, std::int64_t series,
                                                                 bool is_first) const {
  query.reset();
  query.bind(1, series);
  while (query.executeStep()) {
    const auto week = selected_of_week(query);
    if (!week.empty()) return is_first ? week.front().time : week.back().time;
  }
  return std::nullopt;
}

std::optional<TimeSpan> LaunchTimeReader::span_of(std::int64_t series) {
  if (selection_.cluster.empty()) {
    const auto launches = of(series);
    return launches.empty() ? std::nullopt : std::optional(TimeSpan{launches.front().time, launches.back().time});
  }
  const auto first = end_of(weeks_, series, true);
  if (!first) return std::nullopt;
  return TimeSpan{*first, *end_of(weeks_backwards_, series, false)};
}

void derive_launch_times(SQLite::Database& database, std::optional<std::int64_t> launch) {
  SQLite::Statement rows(database, fmt::format(R"(
    SELECT series_id, launch_id, time_us_p50, caveats FROM result
    WHERE {} status = 'ok' AND time_us_p50 > 0 AND ifnull(time_sliced, 0) = 0 ORDER BY series_id, launch_id)",
                                               launch ? "launch_id = ? AND" : ""));
  if (launch) rows.bind(1, *launch);
  Derivation derivation(database, places_of(database, launch));
  while (rows.executeStep()) {
    const auto caveats = rows.getColumn(3);
    if (caveats.isNull() || may_decide(caveats.getString()))
      derivation.add(rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64(), rows.getColumn(2).getDouble());
  }
  derivation.end_series();
}

void forget_launch_times(SQLite::Database& database, const std::vector<std::int64_t>& launches) {
  struct Week {
    std::int64_t series;
    std::string cluster;
    std::int64_t week;
    auto operator<=>(const Week&) const = default;
  };
  std::map<Week, std::set<std::int64_t>> out;
  SQLite::Statement query(database, R"(
    SELECT DISTINCT series_id, cluster, time FROM launch JOIN result ON launch_id = id WHERE id = ?)");
  for (const auto launch : launches) {
    query.reset();
    query.bind(1, launch);
    while (query.executeStep())
      out[{query.getColumn(0).getInt64(), query.getColumn(1).getString(), week_of(query.getColumn(2).getInt64())}]
          .insert(launch);
  }
  Weeks weeks(database);
  for (const auto& [week, gone] : out) weeks.change(week.series, week.cluster, week.week, gone, {});
}

}  // namespace ringmark::history
