// How much slower groups of ranks are alongside others than alone: a comparison by the column `beside`, against
// `alone`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/table/groups.hpp"

namespace ringmark::analysis {

/// The column that a group's rows have, and its value where no other group ran.
inline const std::string beside_column = "beside", alone = "alone";

/// The rows of single groups whose ranks are known. Excludes rows for all groups of a kind: the slowest of several
/// groups cannot be compared with a single group.
std::vector<std::size_t> rows_of_groups(const Table& table, const std::vector<std::size_t>& rows);

/// True if the same ranks measured the same case and size both alone and alongside others.
bool has_slowdowns(const Table& table, const std::vector<std::size_t>& rows);

/// True for columns in which a group alone differs from the same group alongside others.
bool changes_beside_others(const std::string& column);

/// If all rows of a pair are rounds of the same launch, treats its rounds as launches.
void count_rounds(const Table& table, const Group& together, const Group& alone, MatchedPair& pair);

/// The largest significant slowdown, each group at its largest size; null if there is none.
const Comparison* worst_slowdown(const CompareResult& slowdowns);

/// Slowdowns first, with their intervals.
std::string print_slowdowns(const CompareResult& slowdowns);
/// The largest one in a sentence.
std::string slowdown_headline(const CompareResult& slowdowns);

}  // namespace ringmark::analysis
