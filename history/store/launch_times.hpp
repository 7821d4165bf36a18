// The table launch_times: the one time that each launch has for a series. It is derived from the table result and
// packed into blobs of up to 512 launches, so that a question about years of launches reads a few blobs instead of a
// row for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include "history/store/selection.hpp"
#include "history/store/store.hpp"

namespace ringmark::history {

/// A launch's time for a series. The blobs of a store are arrays of this: another layout needs a new version of the
/// store.
struct LaunchTime {
  std::int64_t launch = 0;
  std::chrono::sys_seconds time;
  double time_us = 0;  ///< the median, or the geometric mean of the medians of several rows
};

bool is_before(const LaunchTime& a, const LaunchTime& b);
/// The launches of a blob.
std::vector<LaunchTime> unpacked(const SQLite::Column& blob);

/// From a first launch to a last one.
struct TimeSpan {
  std::chrono::sys_seconds first, last;
};

/// Reads the selected launches of one series after the other. Rows that were not measured as asked, and those whose
/// caveats forbid a decision, do not count. The store must outlive it.
class LaunchTimeReader {
 public:
  LaunchTimeReader(Store& store, Selection selection);

  /// In time order.
  std::vector<LaunchTime> of(std::int64_t series);
  /// Empty if no launch of the series is selected.
  std::optional<TimeSpan> span_of(std::int64_t series);

 private:
  /// The selected launches of the current blob.
  std::vector<LaunchTime> selected();
  /// The same without reading the blob if all of it is selected.
  std::optional<TimeSpan> span_of_blob();

  Selection selection_;
  std::vector<std::int64_t> of_host_;  ///< the launches of the selected host, sorted
  SQLite::Statement blobs_;
};

}  // namespace ringmark::history
