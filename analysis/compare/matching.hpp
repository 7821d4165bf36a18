// Pairs of measurements that may be compared: of the same case, alike in every setting except one, over the same path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/schema/caveat.hpp"

namespace ringmark::analysis {

/// One value of the compared column and the baseline, with everything else equal.
struct MatchedPair {
  std::string case_name;  ///< the benchmark case, without its size
  std::string setting;    ///< the other settings that vary, "algorithm=ring"; empty if none does
  std::uint64_t size_bytes;
  std::string value;                          ///< of the compared column
  std::vector<double> times_us, baseline_us;  ///< of each launch
  std::size_t row, baseline_row;              ///< one row of each side, for its other columns
  std::vector<Caveat> caveats, baseline_caveats;
  std::set<std::string> algorithms_used, baseline_algorithms_used;  ///< by launches of each side
  bool is_by_rounds = false;  ///< times are rounds of a single launch that measured both sides

  /// True if a side's rows have a caveat that forbids a decision.
  bool is_doubted() const { return forbid_decision(caveats) || forbid_decision(baseline_caveats); }
  /// The caveats of both sides, each kind once.
  std::vector<Caveat> all_caveats() const;
};

/// The question, and the groups that have no counterpart.
struct Matching {
  std::string by, baseline;
  std::vector<std::string> values;  ///< all, in order
  std::size_t baseline_groups = 0;  ///< the number of cases and sizes at which the baseline was measured
  /// Other columns that change together with the compared one, "network changes too: roce with verbs, tcp with mpi".
  std::vector<std::string> goes_along;
  std::vector<std::string> refused;    ///< comparisons across different paths, with the reason
  std::vector<std::string> unmatched;  ///< not in the baseline, or only there
};

struct Matches {
  Matching matching;
  std::vector<MatchedPair> pairs;  ///< in the order of the rows
  std::vector<std::string> only_in_baseline;
};

/// Matches the rows that question_about() selects; throws BadUsage as it does. With `any_version`, versions of
/// libraries may differ between the sides.
Matches match(const Table& table, const std::vector<std::size_t>& rows, const std::string& by,
              const std::optional<std::string>& baseline, bool slowdowns_first = true, bool any_version = false);

}  // namespace ringmark::analysis
