// The results schema: all columns, and everything else that a sweep may vary, by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/column.hpp"

namespace ringmark {

/// A variable that was left unset, in sweep files, in the results of sweeps, and in queries of results.
inline constexpr std::string_view unset = "unset";

/// The columns that all schemas share, in file order.
std::span<const Column> contract_columns();
/// The columns that rows of the schema have after the shared ones.
std::span<const Column> own_columns_of(Schema schema);
/// The keys of `settings` that programs write; options, labels and library versions are added to them.
std::span<const Column> settings_keys();

/// Null if the contract has no column of that name.
const Column* find_contract_column(std::string_view name);
const Column* find_own_column(Schema schema, std::string_view name);
bool is_contract_column(std::string_view name);

std::vector<std::string> contract_header();
std::vector<std::string> own_header(Schema schema);

/// The role of a column of any schema, of a key of `settings`, or of a flag of the measuring programs without its
/// dashes. Empty for other names, such as options and environment variables, and for flags that a sweep cannot vary.
std::optional<Role> role_of(std::string_view name);

/// True for choices, and for names without a role: options and environment variables.
bool is_choice(std::string_view name);
/// True for measurements and rates.
bool is_measured(std::string_view name);

/// The flag of ringmark-replay that sets a column of replay/1, or the name itself if none does.
std::string_view replay_flag(std::string_view column);

/// The columns and keys that name a group of ranks: `groups`, `group`, `members`, `beside`.
bool names_group(std::string_view name);

/// For CSV. A sweep's variable wins over a column of the same name that only the row's schema has. Empty if the record
/// has no such column.
std::optional<std::string> cell_of(const Record& record, std::string_view column);
/// The number in the column; empty if it has none.
std::optional<double> figure_of(const Record& record, std::string_view column);

}  // namespace ringmark
