// Is A really faster than B? Compares settings with a baseline, matched on everything else. The verdicts come from
// results/statistics/comparison.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/matching.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::analysis {

struct CompareOptions {
  std::string by;                       ///< a column; empty: the first setting column that varies
  std::optional<std::string> baseline;  ///< a value of the column; nothing: the unset value, or the first in order
  double level = usual_level;           ///< probability of a false alarm in all comparisons together
  bool is_baseline_exact = false;       ///< the baseline's median is treated as exact
  bool is_baseline_alike = false;  ///< the baseline is earlier launches of the same settings, with the same scatter
  bool slowdowns_first = true;     ///< as in question_about
};

struct Comparison : MatchedPair, Difference {
  /// The times show a difference, but a caveat forbids a decision.
  bool is_undecided_by_doubt() const { return is_decided(verdict) && is_doubted(); }
  /// For display: "undecided" if the rows have a caveat that forbids a decision.
  std::string judged_in_words() const { return ringmark::judged_in_words(*this, is_doubted()); }
  std::string_view judged_name() const { return ringmark::judged_name(verdict, is_doubted()); }
};

/// The best value over a range of sizes. A value other than the baseline is best only where it is significantly faster,
/// in rows without a caveat that forbids a decision.
struct BestRange {
  std::string case_name, setting;
  std::uint64_t from_bytes, to_bytes;
  std::string value;
  std::size_t row;  ///< one of its rows
  bool is_shown;    ///< false: the baseline stays because nothing is significantly faster
  bool is_doubted;  ///< is_shown is false, possibly because of a row's caveat
};

struct CompareResult : Matching {
  std::vector<Comparison> comparisons;  ///< by case, setting, value, size
  std::vector<BestRange> best;
};

/// Throws BadUsage if the column or the baseline does not exist, or if the column has only one value.
CompareResult compare(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options);

}  // namespace ringmark::analysis
