#include "results/schema/columns.hpp"

#include <algorithm>
#include <array>

#include "base/flags/option.hpp"

namespace ringmark {
namespace {

const Column* find(std::span<const Column> columns, std::string_view name) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& each) { return each.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.emplace_back(column.name);
  return names;
}

// Flags without a column, spellings of a sweep's variables, and keys of `settings` that libraries fill in.
constexpr std::string_view cases[]{"program",       "ranks_per_node", "ranks-per-node", "min-bytes", "max-bytes",
                                   "step-factor",   "step-bytes",     "test",           "pairs",     "sequence",
                                   "software",      "dtype",          "seed",           "at-once",   "alone",
                                   "latency-sizes", "leaf-of",        "rails"};
constexpr std::string_view distortions[]{"forward-ms", "backward-ms", "step-ms", "compute-table"};
constexpr std::string_view choices[]{
    // what runs
    "ds-config", "trace", "product-dtype", "product_dtype", "reduce-dtype", "param-groups", "bucket-cap-mb",
    "reduce-bucket", "clip-grad", "find-unused-parameters", "recompute", "sharding-strategy", "shard-degree",
    "reshard-after-forward", "wrap", "backward-prefetch", "forward-prefetch", "use-orig-params", "no-sync",
    "megatron-args", "torchtitan-config", "tp", "sp", "pp", "vp", "cp", "ep", "etp", "global-batch",
    // how it is measured
    "iters", "warmup", "precision", "max-time", "timeout", "check"};
constexpr std::string_view library_versions[]{"nccl_version", "driver_version", "mpi_version", "ibverbs_version"};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The columns of all schemas and the keys of `settings`.
std::array<std::span<const Column>, 4> all_columns() {
  return {contract_columns(), own_columns_of(Schema::link), own_columns_of(Schema::replay), settings_keys()};
}

}  // namespace

const Column* find_contract_column(std::string_view name) { return find(contract_columns(), name); }

const Column* find_own_column(Schema schema, std::string_view name) { return find(own_columns_of(schema), name); }

bool is_contract_column(std::string_view name) { return find_contract_column(name) != nullptr; }

std::vector<std::string> contract_header() { return names_of(contract_columns()); }

std::vector<std::string> own_header(Schema schema) { return names_of(own_columns_of(schema)); }

std::optional<Role> role_of(std::string_view name) {
  for (const auto& columns : all_columns()) {
    if (const auto* column = find(columns, name)) return column->role;
  }
  for (const auto& columns : all_columns()) {
    const auto sets = [&](const Column& each) { return !each.flag.empty() && each.flag == name; };
    if (const auto found = std::find_if(columns.begin(), columns.end(), sets); found != columns.end())
      return found->role;
  }
  if (has(cases, name) || name.starts_with("label.")) return Role::benchmark_case;
  if (has(distortions, name)) return Role::distortion;
  if (has(library_versions, name)) return Role::library_version;
  return has(choices, name) ? std::optional(Role::choice) : std::nullopt;
}

bool is_choice(std::string_view name) {
  const auto role = role_of(name);
  return !role || role == Role::choice || role == Role::library_version;
}

bool is_measured(std::string_view name) {
  const auto role = role_of(name);
  return role == Role::measurement || role == Role::rate;
}

std::string_view replay_flag(std::string_view column) {
  const auto* const found = find_own_column(Schema::replay, column);
  return found == nullptr || found->flag.empty() ? column : found->flag;
}

bool names_group(std::string_view name) {
  return name == "groups" || name == "group" || name == "members" || name == "beside";
}

std::optional<std::string> cell_of(const Record& record, std::string_view column) {
  if (const auto* found = find_contract_column(column)) return found->cell(record);
  if (const auto extra = record.extra.find(std::string(column)); extra != record.extra.end()) return extra->second;
  const auto* const own = find_own_column(record.schema, column);
  return own == nullptr ? std::nullopt : std::optional(own->cell(record));
}

std::optional<double> figure_of(const Record& record, std::string_view column) {
  const auto* found = find_contract_column(column);
  if (found == nullptr) {
    if (const auto extra = record.extra.find(std::string(column)); extra != record.extra.end()) {
      double number = 0;
      return read_number(extra->second, -1e300, 1e300, number) ? std::optional(number) : std::nullopt;
    }
    found = find_own_column(record.schema, column);
    if (found == nullptr) return std::nullopt;
  }
  const auto value = found->value(record);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

}  // namespace ringmark
