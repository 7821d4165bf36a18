// A comparison as text for a person, and as CSV for a spreadsheet.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"

namespace ringmark::analysis {

/// `in_percent` adds the speed in percent of the baseline's and omits the best values, for the baselines of --store and
/// --published.
std::string print(const CompareResult& result, bool in_percent = false);

/// One row per comparison: case, setting, size_bytes, the value and the baseline, medians, ratio with interval, p,
/// delta, verdict.
std::string to_csv(const CompareResult& result);
/// An array of comparison/1, with the same columns.
std::string to_json(const CompareResult& result);

/// A line for each caveat that any row of these comparisons has.
std::string caveats_in_words(const std::vector<const Comparison*>& comparisons, const std::string& baseline);

/// The best values of one case and setting: "tcp (up to 64K), mpi (from 1M)".
std::string best_in_words(const CompareResult& result, const std::string& case_name, const std::string& setting);

}  // namespace ringmark::analysis
