// A record's cells by the names of their columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// A variable that was left alone, in sweep files, in the results of sweeps, and where results are asked about.
inline constexpr std::string_view unset = "unset";

/// True for a column of the contract.
bool is_contract_column(const std::string& name);

/// As CSV has it; nothing if neither the contract nor the record's extra columns have one of that name.
std::optional<std::string> cell_of(const Record& record, const std::string& column);

/// What rows of schema link/1 have beyond the contract's columns: the ranks at both ends.
const std::vector<std::string>& link_columns();

}  // namespace ringmark
