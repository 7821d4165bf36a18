// Time limits as sbatch takes them.
#pragma once

#include <chrono>
#include <string>

namespace ringmark::sweep {

/// MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS.
/// Throws BadUsage for --time.
std::chrono::seconds parse_time_limit(const std::string& text);

}  // namespace ringmark::sweep
