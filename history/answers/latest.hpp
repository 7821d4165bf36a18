// The latest launch of each series of each cluster and its normal range, for monitoring systems.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/answers/chains.hpp"
#include "history/questions/normal.hpp"

namespace ringmark::history {

struct LastChange {
  std::chrono::sys_seconds first_after;
  double ratio;  ///< of the times after it to those before
};

struct LatestLaunch {
  std::string cluster;
  std::map<std::string, std::string> values;  ///< of the series, by column and option
  LaunchTime launch;
  std::optional<double> busbw_GBps;
  std::optional<Envelope> normal;  ///< of the launches before it; empty if there are too few
  std::optional<Interval> normal_busbw_GBps;
  std::optional<LastChange> change;  ///< the last one within a year
};

/// `days`: how long before its cluster's latest launch a series may have ended.
std::vector<LatestLaunch> latest_launches(Store& store, int days);

struct LatestHost {
  std::string cluster, host;
  std::string kind;       ///< of case, such as "all_reduce, 1M and more"
  double time_ratio = 1;  ///< its time in its latest launch, relative to the median host's
};

/// Hosts of the last `days` of each cluster, if its launches tell hosts apart.
std::vector<LatestHost> latest_hosts(Store& store, int days);

struct LatestVerdict {
  std::string cluster, outcome;
  std::chrono::sys_seconds time;
};
std::vector<LatestVerdict> latest_verdicts(Store& store);

/// The rows of a cluster's latest night. Only those that are ok are part of series.
struct LatestRows {
  std::string cluster;
  std::map<std::string, std::uint64_t> rows;  ///< by status; ok, wrong and failed always have an entry
};
std::vector<LatestRows> latest_rows(Store& store);

}  // namespace ringmark::history
