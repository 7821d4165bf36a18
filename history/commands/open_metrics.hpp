// The OpenMetrics text format, which node_exporter's textfile collector and Prometheus read.
#pragma once

#include <string>
#include <vector>

#include "history/answers/latest.hpp"

namespace ringmark::history {

/// Samples of all launches, hosts and verdicts. Labels are named like the columns, with underscores in place of
/// characters that labels cannot have.
std::string open_metrics(const std::vector<LatestLaunch>& launches, const std::vector<LatestHost>& hosts,
                         const std::vector<LatestVerdict>& verdicts, const std::vector<LatestRows>& rows);

}  // namespace ringmark::history
