// Which measurements may be held against each other: of the same thing, alike in every setting but one, over the same
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/read_results.hpp"

namespace ringmark::analysis {

/// One value of the column compared by, and the baseline, where nothing else differs.
struct MatchedPair {
  std::string thing;    ///< what was measured, without its size
  std::string setting;  ///< what else was chosen and varies, "algorithm=ring"; empty if nothing does
  std::uint64_t size_bytes;
  std::string value;                          ///< of the column compared by
  std::vector<double> times_us, baseline_us;  ///< of each launch
  std::size_t row, baseline_row;              ///< one of each, for all else that is to know
};

/// What was matched by, and what was not.
struct Matching {
  std::string by, baseline;
  std::vector<std::string> values;  ///< all, in order
  std::size_t baseline_groups = 0;  ///< things and sizes that the baseline was measured at
  /// Other columns that change together with the one compared by, "network: tcp (mpi), roce (verbs)".
  std::vector<std::string> goes_along;
  std::vector<std::string> refused;    ///< comparisons of different paths, by name
  std::vector<std::string> unmatched;  ///< measured on one side only
};

struct Matches {
  Matching matching;
  std::vector<MatchedPair> pairs;  ///< in the order of the rows
};

/// `by` is a column, or empty for the first setting column that varies; `baseline` a value of it, or nothing for the
/// unset value or the first in order. Throws BadUsage if the column or the baseline is not there, or nothing matches.
Matches match(const Table& table, const std::vector<std::size_t>& rows, const std::string& by,
              const std::optional<std::string>& baseline);

}  // namespace ringmark::analysis
