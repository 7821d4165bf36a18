// The results schema: all columns, and what else a sweep may vary, by their names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/column.hpp"

namespace ringmark {

/// A variable that was left alone, in sweep files, in the results of sweeps, and where results are asked about.
inline constexpr std::string_view unset = "unset";

/// Of every schema, in the file's order.
std::span<const Column> contract_columns();
/// Those that rows of the schema have after them.
std::span<const Column> own_columns_of(Schema schema);
/// The keys of `settings` that programs write; options, labels and versions of libraries come beside them.
std::span<const Column> settings_keys();

/// Null if the contract has no column of that name.
const Column* find_contract_column(std::string_view name);
const Column* find_own_column(Schema schema, std::string_view name);
bool is_contract_column(std::string_view name);

std::vector<std::string> contract_header();
std::vector<std::string> own_header(Schema schema);

/// The role of a column of any schema, a key of `settings`, or a flag of the measuring programs without its dashes.
/// Nothing for other names, such as options and variables of the environment, and for flags that a sweep cannot vary.
std::optional<Role> role_of(std::string_view name);

/// True for choices; also for names that have no role: options and variables of the environment.
bool is_choice(std::string_view name);
/// True for measurements and rates.
bool is_measured(std::string_view name);

/// The flag of ringmark-replay that sets a column of replay/1; the name itself if there is none.
std::string_view replay_flag(std::string_view column);

/// The columns and keys that name a group of ranks: `groups`, `group`, `members`, `beside`.
bool names_group(std::string_view name);

/// As CSV has it. A sweep's variable comes before the schema's column of the same name. Nothing if the record has no
/// such column.
std::optional<std::string> cell_of(const Record& record, std::string_view column);
/// The number in the column; nothing if it has none.
std::optional<double> figure_of(const Record& record, std::string_view column);

}  // namespace ringmark
