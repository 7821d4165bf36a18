// The role of each column: it identifies the benchmark case or a setting.
//
// A case is what was measured: collective, type, reduction, placement, timing, ranks, size. A setting is how it was
// measured: everything else that was chosen. Measured values and outcomes are neither.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// The columns that identify a case, except size_bytes. Includes the columns of a group of ranks if any row has a
/// group, and `start` if any row has an agreed start.
std::vector<std::string> case_columns(const Table& table);
bool has_agreed_starts(const Table& table);

/// True for a column that only records where the rows come from: its role is origin, or it is a library version and the
/// table has at most one.
bool is_origin_in(const Table& table, std::string_view column);

/// Made by add_configurations.
inline const std::string configuration_column = "configuration";

/// The columns of settings, except `configuration`, the most commonly wanted first: transport, swept variables, keys of
/// `settings`, algorithm, memory, network, file.
std::vector<std::string> setting_columns(const Table& table);

/// Setting columns that vary within a schema and that a user can choose: excludes the network, the file, and columns
/// that belong to the case, such as a model.
std::vector<std::string> choices(const Table& table);

/// Adds that column: all of a row's settings that vary in the table, "NCCL_ALGO=Tree NCCL_PROTO=LL"; empty if all of
/// them are unset. Throws BadUsage if too many settings vary.
void add_configurations(Table& table);

}  // namespace ringmark::analysis
