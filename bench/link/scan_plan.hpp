// The links that a scan is going to measure, and the time that it takes.
#pragma once

#include <string>
#include <vector>

#include "bench/flags/link_options.hpp"
#include "bench/link/rounds.hpp"
#include "bench/link/time_left.hpp"

namespace ringmark {

struct ScanPlan {
  std::vector<LinkStep> steps;
  std::vector<LinkMeasurement> measurements;  ///< of each step
  double max_time_s;                          ///< of each measurement

  bool has_pairs_at_once() const;
  /// Measurements of single links, alone, that follow the steps: at most that many.
  std::vector<LinkMeasurement> repeats(const LinkOptions& options) const;
};

/// `ways_out` by rank, "host interface".
ScanPlan plan_scan(const LinkOptions& options, const std::vector<std::string>& ways_out);

/// "# 12 links in 6 steps, at most 2 at once (--max-time 1)"
std::string in_words(const LinkOptions& options, const ScanPlan& plan);

/// The plan, the time that it takes where a message's is short, and the links of each step, or of the first ones. Each
/// of `ranks` has a way out of its own.
std::string explain_scan(const LinkOptions& options, int ranks);

}  // namespace ringmark
