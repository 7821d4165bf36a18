// Is A really faster than B? Settings against a baseline, matched on everything else, launch by launch.
//
// A verdict is the Mann-Whitney test's wherever so many launches can reach the level that many comparisons leave; with
// fewer launches it is Welch's test of the logarithms, which assumes that they scatter normally. Both after Holm's
// correction over all comparisons of one call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read_results.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {

struct CompareOptions {
  std::string by;                       ///< a column; empty: the first setting column that varies
  std::optional<std::string> baseline;  ///< a value of it; nothing: the unset value, or the first in order
  double level = 0.05;                  ///< of a false alarm in all comparisons together
};

enum class Verdict { faster, slower, no_difference, too_few };
std::string_view name(Verdict verdict);

struct Comparison {
  std::string thing;    ///< what was measured, without its size
  std::string setting;  ///< what else was chosen and varies, "algorithm=ring"; empty if nothing does
  std::uint64_t size_bytes;
  std::string value;                          ///< of the column compared by
  std::vector<double> times_us, baseline_us;  ///< of each launch
  std::size_t row, baseline_row;              ///< one of each, for all else that is to know
  double ratio;                               ///< of medians, below 1 the value is faster
  std::optional<Interval> interval;  ///< 95 %: bootstrap over launches; with fewer than four on a side, Welch's
  double p = 1;                      ///< corrected for all comparisons
  double delta = 0;                  ///< Cliff's delta: 1 if every launch beats every launch of the baseline
  bool by_ranks = false;             ///< p is the Mann-Whitney test's
  Verdict verdict = Verdict::too_few;
};

/// The best value over a range of sizes. A value other than the baseline is best only where it was shown faster.
struct BestRange {
  std::string thing, setting;
  std::uint64_t from_bytes, to_bytes;
  std::string value;
  std::size_t row;  ///< one of them
  bool is_shown;    ///< false: the baseline stays because nothing was shown to be faster
};

struct CompareResult {
  std::string by, baseline;
  std::vector<std::string> values;      ///< all, in order
  std::vector<Comparison> comparisons;  ///< by thing, setting, value, size
  std::vector<BestRange> best;
  std::size_t baseline_groups = 0;  ///< things and sizes that the baseline was measured at
  /// Other columns that change together with the one compared by, "network: tcp (mpi), roce (verbs)".
  std::vector<std::string> goes_along;
  std::vector<std::string> refused;    ///< comparisons of different paths, by name
  std::vector<std::string> unmatched;  ///< measured on one side only
};

/// Throws BadUsage if the column or the baseline is not there, or nothing matches.
CompareResult compare(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options);

/// "12.3 % faster (10.1 to 14.4)", "too few launches to tell (2 against 3)".
std::string in_words(const Comparison& comparison);

/// Shown slower, and by more than so many percent.
bool is_slower_than(const Comparison& comparison, double percent);

}  // namespace ringmark::analysis
