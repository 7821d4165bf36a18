// What every part of a page is made of: the rows that were measured, what they are called, and their limit.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare.hpp"

namespace ringmark::analysis {

struct Measured {
  const Table& table;
  std::vector<std::size_t> rows;
  std::optional<double> limit_GBps;                      ///< of a link
  bool limit_is_measured = false;                        ///< rather than given
  std::optional<CompareResult> comparison;               ///< unless there is nothing to compare
  std::map<std::string, std::set<std::string>> crossed;  ///< configuration → networks

  /// What a legend says of a row: its configuration, such as "tcp" for "transport=tcp". Where one configuration crossed
  /// several networks, or files are compared, those as well.
  std::string label_of(std::size_t row) const;
};

/// BadUsage if no row was measured, or if a comparison that was asked for cannot be made. What was left out is appended
/// to `notes`.
Measured measured(const Table& table, const CompareOptions& comparison, std::optional<double> link_GBps,
                  std::vector<std::string>& notes);

}  // namespace ringmark::analysis
