// The common data of all parts of a page: the measured rows, their labels, and their limit.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"

namespace ringmark::analysis {

struct Measured {
  const Table& table;
  std::vector<std::size_t> rows;
  std::optional<double> limit_GBps;                      ///< of a link
  bool limit_is_measured = false;                        ///< rather than given
  std::optional<CompareResult> comparison;               ///< unless there is nothing to compare
  std::map<std::string, std::set<std::string>> crossed;  ///< configuration → networks

  /// A row's label in a legend: its configuration, such as "tcp" for "transport=tcp". It names the network where one
  /// configuration crossed several, and the file where files are compared.
  std::string label_of(std::size_t row) const;
};

/// Throws BadUsage if no row is usable, or if a requested comparison cannot be made. Appends a note for rows that were
/// left out.
Measured measured(const Table& table, const CompareOptions& comparison, std::optional<double> link_GBps,
                  std::vector<std::string>& notes);

}  // namespace ringmark::analysis
