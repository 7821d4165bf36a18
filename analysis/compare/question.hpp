// The question of a comparison: by which column, against which of its values, over which rows.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

struct Question {
  std::string by, baseline;
  std::vector<std::string> values;   ///< all values of the column, in order
  std::vector<std::size_t> rows;     ///< those that the question is about
  std::vector<std::string> refused;  ///< notes on rows that were left out
};

/// `by` is a column, or empty for the first setting column that varies; `baseline` is a value of the column, or nothing
/// for the sweep's default, or else the unset value or the first in order. With neither, `slowdowns_first` compares
/// groups that ran alongside others with the same groups alone, if both were measured. Throws BadUsage if the column or
/// the baseline does not exist, or if the column has one value only.
Question question_about(const Table& table, const std::vector<std::size_t>& rows, const std::string& by,
                        const std::optional<std::string>& baseline, bool slowdowns_first = true);

/// The values of a column in these rows.
std::set<std::string> values_in(const Table& table, const std::vector<std::size_t>& rows, const std::string& column);

}  // namespace ringmark::analysis
