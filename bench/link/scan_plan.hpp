// The links that a scan will measure, and how long it takes.
#pragma once

#include <string>
#include <vector>

#include "bench/flags/link_options.hpp"
#include "bench/link/rounds.hpp"
#include "bench/link/time_left.hpp"

namespace ringmark {

struct ScanPlan {
  std::vector<LinkStep> steps;
  std::vector<LinkMeasurement> measurements;  ///< in each step
  double max_time_s;                          ///< per measurement

  bool has_pairs_at_once() const;
  /// The measurements of single links that may follow the steps: an upper limit.
  std::vector<LinkMeasurement> repeats(const LinkOptions& options) const;
};

/// `ways_out` is by rank, "host interface".
ScanPlan plan_scan(const LinkOptions& options, const std::vector<std::string>& ways_out);

/// "# 12 links in 6 steps, at most 2 at once (--max-time 1)"
std::string in_words(const LinkOptions& options, const ScanPlan& plan);

/// The plan, how long it takes if messages are fast, and the links of the first steps. Assumes that each of the `ranks`
/// has its own way out.
std::string explain_scan(const LinkOptions& options, int ranks);

}  // namespace ringmark
