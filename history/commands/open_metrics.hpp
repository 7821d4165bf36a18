// The OpenMetrics text format, which node_exporter's textfile collector and Prometheus read.
#pragma once

#include <string>
#include <vector>

#include "history/answers/latest.hpp"

namespace ringmark::history {

/// A sample of every launch and verdict. Names of labels are those of the columns, with underscores for other
/// characters.
std::string open_metrics(const std::vector<LatestLaunch>& launches, const std::vector<LatestVerdict>& verdicts);

}  // namespace ringmark::history
