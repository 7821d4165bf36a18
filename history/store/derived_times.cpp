#include "history/store/derived_times.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "results/schema/caveat.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

constexpr std::size_t most_in_blob = 512;

bool may_decide(std::string_view caveats) {
  for (std::size_t begin = 0; begin < caveats.size();) {
    const auto end = std::min(caveats.find(' ', begin), caveats.size());
    const auto caveat = parse_caveat(caveats.substr(begin, end - begin));
    if (caveat && forbids_decision(*caveat)) return false;
    begin = end + 1;
  }
  return true;
}

/// Writes blobs. Those of a series are in no order, and may overlap in time.
class Blobs {
 public:
  explicit Blobs(SQLite::Database& database)
      : newest_(database,
                "SELECT id, times FROM launch_times WHERE series_id = ? AND cluster = ? ORDER BY id DESC LIMIT 1"),
        at_time_(database,
                 "SELECT id, times FROM launch_times "
                 "WHERE series_id = ?1 AND cluster = ?2 AND first <= ?3 AND last >= ?3"),
        insert_(database, "INSERT INTO launch_times(first, last, times, series_id, cluster) VALUES(?, ?, ?, ?, ?)"),
        update_(database, "UPDATE launch_times SET first = ?, last = ?, times = ? WHERE id = ?"),
        remove_(database, "DELETE FROM launch_times WHERE id = ?") {}

  void add(std::int64_t series, const std::string& cluster, const LaunchTime& launch) {
    bind(newest_, series, cluster);
    if (newest_.executeStep()) {
      auto launches = unpacked(newest_.getColumn(1));
      if (launches.size() < most_in_blob) {
        launches.insert(std::upper_bound(launches.begin(), launches.end(), launch, is_before), launch);
        return put(newest_.getColumn(0).getInt64(), launches);
      }
    }
    insert(series, cluster, std::span(&launch, 1));
  }

  /// Adds the launch unless the series has it.
  void replace(std::int64_t series, const std::string& cluster, const LaunchTime& launch) {
    bind(at_time_, series, cluster);
    at_time_.bind(3, seconds_of(launch.time));
    while (at_time_.executeStep()) {
      auto launches = unpacked(at_time_.getColumn(1));
      const auto known = std::find_if(launches.begin(), launches.end(),
                                      [&](const LaunchTime& each) { return each.launch == launch.launch; });
      if (known == launches.end()) continue;
      *known = launch;
      return put(at_time_.getColumn(0).getInt64(), launches);
    }
    add(series, cluster, launch);
  }

  /// In time order.
  void insert(std::int64_t series, const std::string& cluster, std::span<const LaunchTime> launches) {
    bind_blob(insert_, launches);
    insert_.bind(4, series);
    insert_.bind(5, cluster);
    insert_.exec();
  }

  /// In time order.
  void put(std::int64_t id, std::span<const LaunchTime> launches) {
    if (launches.empty()) {
      remove_.reset();
      remove_.bind(1, id);
      remove_.exec();
      return;
    }
    bind_blob(update_, launches);
    update_.bind(4, id);
    update_.exec();
  }

 private:
  static void bind(SQLite::Statement& statement, std::int64_t series, const std::string& cluster) {
    statement.reset();
    statement.bind(1, series);
    statement.bind(2, cluster);
  }
  static void bind_blob(SQLite::Statement& statement, std::span<const LaunchTime> launches) {
    statement.reset();
    statement.bind(1, seconds_of(launches.front().time));
    statement.bind(2, seconds_of(launches.back().time));
    statement.bind(3, launches.data(), static_cast<int>(launches.size_bytes()));
  }

  SQLite::Statement newest_, at_time_, insert_, update_, remove_;
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
    places[query.getColumn(0).getInt64()] = {query.getColumn(1).getString(), time_at(query, 2)};
  return places;
}

using ByCluster = std::map<std::string, std::vector<LaunchTime>>;

/// Combines the rows of each launch, and visits each series with its launches.
class Derivation {
 public:
  Derivation(std::map<std::int64_t, Place> places, std::function<void(std::int64_t series, ByCluster&)> visit)
      : places_(std::move(places)), visit_(std::move(visit)) {}

  /// Rows come sorted by series and launch.
  void add(std::int64_t series, std::int64_t launch, double time_us) {
    if (series != series_) {
      finish();
    } else if (launch != launch_) {
      end_launch();
    }
    series_ = series;
    launch_ = launch;
    times_us_.push_back(time_us);
  }

  /// After the last row.
  void finish() {
    end_launch();
    if (!of_series_.empty()) visit_(series_, of_series_);
    of_series_.clear();
  }

 private:
  void end_launch() {
    const auto place = places_.find(launch_);
    if (!times_us_.empty() && place != places_.end())
      of_series_[place->second.cluster].push_back({launch_, place->second.time, geometric_mean(times_us_)});
    times_us_.clear();
  }

  std::map<std::int64_t, Place> places_;
  std::function<void(std::int64_t series, ByCluster&)> visit_;
  std::int64_t series_ = 0, launch_ = 0;
  std::vector<double> times_us_;  ///< of the launch
  ByCluster of_series_;
};

/// Of all launches, or of one.
void derive(SQLite::Database& database, std::optional<std::int64_t> launch,
            const std::function<void(std::int64_t series, ByCluster&)>& visit) {
  SQLite::Statement rows(database, fmt::format(R"(
    SELECT series_id, launch_id, time_us_p50, caveats FROM result
    WHERE {} status = 'ok' AND time_us_p50 > 0 AND ifnull(time_sliced, 0) = 0 ORDER BY series_id, launch_id)",
                                               launch ? "launch_id = ? AND" : ""));
  if (launch) rows.bind(1, *launch);
  Derivation derivation(places_of(database, launch), visit);
  while (rows.executeStep()) {
    const auto caveats = rows.getColumn(3);
    if (caveats.isNull() || may_decide(caveats.getString()))
      derivation.add(rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64(), rows.getColumn(2).getDouble());
  }
  derivation.finish();
}

}  // namespace

void derive_launch_times(SQLite::Database& database) {
  database.exec("DELETE FROM launch_times");
  Blobs blobs(database);
  derive(database, std::nullopt, [&](std::int64_t series, ByCluster& by_cluster) {
    for (auto& [cluster, launches] : by_cluster) {
      std::sort(launches.begin(), launches.end(), is_before);
      for (std::span<const LaunchTime> left = launches; !left.empty();) {
        const auto some = left.first(std::min(left.size(), most_in_blob));
        blobs.insert(series, cluster, some);
        left = left.subspan(some.size());
      }
    }
  });
}

void derive_launch_times(SQLite::Database& database, std::int64_t launch, bool is_new) {
  Blobs blobs(database);
  derive(database, launch, [&](std::int64_t series, const ByCluster& by_cluster) {
    for (const auto& [cluster, launches] : by_cluster)
      is_new ? blobs.add(series, cluster, launches.front()) : blobs.replace(series, cluster, launches.front());
  });
}

void forget_launch_times(SQLite::Database& database, const std::set<std::int64_t>& launches, TimeSpan span) {
  Blobs blobs(database);
  SQLite::Statement query(database, "SELECT id, times FROM launch_times WHERE first <= ? AND last >= ?");
  query.bind(1, seconds_of(span.last));
  query.bind(2, seconds_of(span.first));
  while (query.executeStep()) {
    auto left = unpacked(query.getColumn(1));
    const auto is_forgotten = [&](const LaunchTime& each) { return launches.contains(each.launch); };
    if (std::erase_if(left, is_forgotten) > 0) blobs.put(query.getColumn(0).getInt64(), left);
  }
}

}  // namespace ringmark::history
