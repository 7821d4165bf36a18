// How much slower groups of ranks are beside others than alone: a comparison by the column `beside`, against `alone`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/table/groups.hpp"

namespace ringmark::analysis {

/// The column that a group's rows have, and its value where no other group ran.
inline const std::string beside_column = "beside", alone = "alone";

/// The rows of groups whose ranks are known. A row of all groups of a kind is none: the slowest of several groups
/// compares with no single group.
std::vector<std::size_t> rows_of_groups(const Table& table, const std::vector<std::size_t>& rows);

/// True if the same ranks measured the same case and size both alone and beside others.
bool has_slowdowns(const Table& table, const std::vector<std::size_t>& rows);

/// True for columns by which a group alone differs from the same group beside others. Its ranks stay the same.
bool changes_beside_others(const std::string& column);

/// Takes the rounds for launches where a pair's rows are rounds of one and the same launch.
void count_rounds(const Table& table, const Group& together, const Group& alone, MatchedPair& pair);

/// The largest slowdown that is shown, at the largest size of its group; null if none is.
const Comparison* worst_slowdown(const CompareResult& slowdowns);

/// Slowdowns first, with their intervals.
std::string print_slowdowns(const CompareResult& slowdowns);
/// The largest one in a sentence.
std::string slowdown_headline(const CompareResult& slowdowns);

}  // namespace ringmark::analysis
