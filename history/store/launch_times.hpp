// The table launch_times: the one time that each launch has for a series. It is derived from the table result and
// packed by week, so that a question about years of launches reads a few blobs instead of a row for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "history/store/selection.hpp"
#include "history/store/store.hpp"

namespace ringmark::history {

/// A launch's time for a series.
struct LaunchTime {
  std::int64_t launch = 0;
  std::chrono::sys_seconds time;
  double time_us = 0;  ///< the median, or the geometric mean of the medians of several rows
};

/// From a first launch to a last one.
struct TimeSpan {
  std::chrono::sys_seconds first, last;
};

/// Reads the selected launches of one series after the other. Rows that were not measured as asked, and those whose
/// caveats forbid a decision, do not count.
class LaunchTimeReader {
 public:
  LaunchTimeReader(Store& store, Selection selection);

  /// In time order.
  std::vector<LaunchTime> of(std::int64_t series);
  /// Empty if no launch of the series is selected.
  std::optional<TimeSpan> span_of(std::int64_t series);

 private:
  /// Those of the week at which the query is.
  std::vector<LaunchTime> selected_of_week(SQLite::Statement& query) const;
  std::optional<std::chrono::sys_seconds> end_of(SQLite::Statement& query, std::int64_t series, bool is_first) const;

  Selection selection_;
  std::vector<std::int64_t> of_host_;  ///< the launches of the selected host, sorted
  SQLite::Statement weeks_, weeks_backwards_;
};

/// Derives the times of one launch again, or of all. A change of what counts needs a new version of the store, whose
/// step does this.
void derive_launch_times(SQLite::Database& database, std::optional<std::int64_t> launch = std::nullopt);

/// Removes the times of these launches, whose rows must still exist.
void forget_launch_times(SQLite::Database& database, const std::vector<std::int64_t>& launches);

}  // namespace ringmark::history
