// Is A really faster than B? Settings against a baseline, matched on everything else, launch by launch.
//
// A verdict is the Mann-Whitney test's wherever so many launches can reach the level that many comparisons leave; with
// fewer launches it is Welch's test of the logarithms, which assumes that they scatter normally. Both after Holm's
// correction over all comparisons of one call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/matching.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {

struct CompareOptions {
  std::string by;                       ///< a column; empty: the first setting column that varies
  std::optional<std::string> baseline;  ///< a value of it; nothing: the unset value, or the first in order
  double level = 0.05;                  ///< of a false alarm in all comparisons together
};

enum class Verdict { faster, slower, no_difference, too_few };
std::string_view name(Verdict verdict);

struct Comparison : MatchedPair {
  double ratio = 1;                  ///< of medians, below 1 the value is faster
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

struct CompareResult : Matching {
  std::vector<Comparison> comparisons;  ///< by thing, setting, value, size
  std::vector<BestRange> best;
};

/// Throws BadUsage if the column or the baseline is not there, or nothing matches.
CompareResult compare(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options);

/// "12.3 % faster (10.1 to 14.4)", "too few launches to tell (2 against 3)".
std::string in_words(const Comparison& comparison);

/// Shown slower, and by more than so many percent.
bool is_slower_than(const Comparison& comparison, double percent);
/// By more than so many percent by its medians, which the launches are too few, or scatter too much, to show.
bool may_be_slower_than(const Comparison& comparison, double percent);

}  // namespace ringmark::analysis
