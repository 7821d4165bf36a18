// Time limits in sbatch's format.
#pragma once

#include <chrono>
#include <string>

#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS.
/// Throws BadUsage for --time.
std::chrono::seconds parse_time_limit(const std::string& text);

/// Like parse_time_limit, but also throws BadUsage for a limit below `least`, with the reason for that minimum.
std::chrono::seconds require_time_limit(const std::string& text, std::chrono::seconds least, const std::string& reason);

/// The time that a sweep needs to end its ranks and write its files once it is asked to stop.
std::chrono::seconds time_to_stop(const Sweep& sweep);

}  // namespace ringmark::sweep
