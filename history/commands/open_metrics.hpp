// The OpenMetrics text format, which node_exporter's textfile collector and Prometheus read.
#pragma once

#include <string>
#include <vector>

#include "history/answers/latest.hpp"

namespace ringmark::history {

/// Samples of all launches, hosts and verdicts. Names of labels are those of the columns, with underscores for other
/// characters.
std::string open_metrics(const std::vector<LatestLaunch>& launches, const std::vector<LatestHost>& hosts,
                         const std::vector<LatestVerdict>& verdicts, const std::vector<LatestRows>& rows);

}  // namespace ringmark::history
