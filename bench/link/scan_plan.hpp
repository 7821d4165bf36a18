// The links that a scan is going to measure, and the time that it takes at most.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/flags/link_options.hpp"
#include "bench/link/rounds.hpp"

namespace ringmark {

struct ScanPlan {
  std::vector<LinkStep> steps;
  std::vector<std::pair<LinkTest, std::size_t>> measurements;  ///< tests and sizes, of each step
  double max_time_s;                                           ///< of each measurement
};

/// `ways_out` by rank, "host interface".
ScanPlan plan_scan(const LinkOptions& options, const std::vector<std::string>& ways_out);

/// "# 12 links in 6 steps, at most 2 at once: about 68 s at most (--max-time 1)"
std::string estimate(const LinkOptions& options, const ScanPlan& plan);

/// The estimate, and the links of each step, or of the first ones. Each of `ranks` has a way out of its own.
std::string explain_scan(const LinkOptions& options, int ranks);

}  // namespace ringmark
