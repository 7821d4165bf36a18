// Words and numbers that several questions print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/answers/chains.hpp"

namespace ringmark::history {

/// Each chain's case, with the settings by which it differs from others of these.
std::vector<std::string> names_of(const std::vector<Chain>& chains);

/// Of a collective or a link; empty for latencies and steps.
std::optional<double> bus_bandwidth_GBps(const Series& series, double time_us);

}  // namespace ringmark::history
