// The latest launch of each series of each cluster, next to what is normal for it: what a monitoring system asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/answers/chains.hpp"
#include "history/questions/normal.hpp"

namespace ringmark::history {

struct LatestLaunch {
  std::string cluster;
  std::map<std::string, std::string> values;  ///< of the series, by column and option
  LaunchTime launch;
  std::optional<double> busbw_GBps;
  std::optional<Envelope> normal;  ///< of the launches before it; empty if they are too few
};

/// `days`: how long before its cluster's latest launch a series may have ended.
std::vector<LatestLaunch> latest_launches(Store& store, int days);

struct LatestVerdict {
  std::string cluster, outcome;
  std::chrono::sys_seconds time;
};
std::vector<LatestVerdict> latest_verdicts(Store& store);

}  // namespace ringmark::history
