// A comparison as text for a person, and as CSV for a spreadsheet.
#pragma once

#include <string>

#include "analysis/compare.hpp"

namespace ringmark::analysis {

std::string print(const CompareResult& result);

/// One row per comparison: thing, setting, size_bytes, the value and the baseline, medians, ratio with interval, p,
/// delta, verdict.
std::string to_csv(const CompareResult& result);

/// The best values of one thing and setting: "tcp (up to 64K), mpi (from 1M)".
std::string best_in_words(const CompareResult& result, const std::string& thing, const std::string& setting);

}  // namespace ringmark::analysis
