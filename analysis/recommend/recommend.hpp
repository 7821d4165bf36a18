// Which configuration to set, with the evidence, or the advice to keep the default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"

namespace ringmark::analysis {

struct Recommendation {
  std::string configuration;          ///< what to set, "NCCL_ALGO=Tree"; may be empty: everything unset
  std::optional<std::size_t> row;     ///< one of its rows; nothing: keep the default
  std::string baseline;               ///< the configuration that it was compared with, in words
  std::vector<std::string> evidence;  ///< a line for each comparison that it rests on
  std::string finding;                ///< in a sentence
  std::vector<BestRange> by_size;     ///< the best configuration for each range of sizes
};

/// An array of JSON objects, recommendation/1: the best configuration for each range of sizes.
std::string to_json(const Recommendation& recommendation);

/// A configuration may be recommended if it was measured wherever the baseline was, is significantly faster somewhere
/// and slower nowhere, and none of the rows used has a caveat that forbids it. The fastest has the lowest ratio
/// (geometric mean over everything that was measured). The recommendation is the configuration that changes the fewest
/// settings among those less than two percent behind the fastest, and nowhere significantly further behind.
/// `configured` has the column of add_configurations.
Recommendation recommend(const Table& configured, const std::vector<std::size_t>& rows,
                         const std::optional<std::string>& baseline);

}  // namespace ringmark::analysis
