// What a store knows of series, launches and rows.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/store/selection.hpp"
#include "history/store/store.hpp"

namespace ringmark::history {

/// Rows that measured the same case in the same way.
struct Series {
  std::int64_t id = 0;
  StoredRow row;  ///< the columns of Part::series only
};

std::vector<Series> all_series(Store& store);

/// Its versions, by name: of libraries, and `version` of the program.
std::map<std::string, std::string> facts_of_launch(Store& store, std::int64_t launch);

/// Where a launch came from.
struct LaunchOrigin {
  std::string key;  ///< run_id of Ringmark's own
  std::chrono::sys_seconds time;
  std::string file;
};
LaunchOrigin origin_of_launch(Store& store, std::int64_t launch);

/// The hosts of each launch, in alphabetical order.
std::map<std::int64_t, std::vector<std::string>> hosts_of_launches(Store& store, const Selection& selection);

/// A host's first and last launch.
struct HostSpan {
  std::string host;
  std::chrono::sys_seconds first, last;
};
std::vector<HostSpan> host_spans(Store& store, const Selection& selection);

/// When the latest selected launch was; empty if there is none.
std::optional<std::chrono::sys_seconds> latest_launch(Store& store, const Selection& selection);

/// How far questions look back by default.
constexpr int days_of_a_year = 366;
/// The selection, beginning that many days before its latest launch if it has no beginning.
Selection over_days(Store& store, Selection selection, int days = days_of_a_year);

/// Launches by cluster.
std::map<std::string, std::uint64_t> clusters_in(Store& store);

/// Every row that the store has, launch by launch in the order of time, as it was added. Rows of other tools, which had
/// neither, get the key of their launch as run_id and its time.
void for_each_row(Store& store, const Selection& selection, const std::function<void(const StoredRow& row)>& visit);

/// Reads rows of single launches.
class RowReader {
 public:
  explicit RowReader(Store& store);
  /// Visits the rows of a launch, of one series if `series` is given.
  void read(std::int64_t launch, std::optional<std::int64_t> series,
            const std::function<void(const StoredRow& row)>& visit);

 private:
  SQLite::Statement query_;
};

/// By its key; empty if the store does not have it.
std::optional<std::int64_t> launch_with_key(Store& store, const std::string& key);

struct StoreSize {
  std::uint64_t launches = 0, rows = 0, series = 0, samples = 0, verdicts = 0;
};
StoreSize size_of(Store& store);

}  // namespace ringmark::history
