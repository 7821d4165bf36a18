#include "analysis/recommend/recommended_files.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "analysis/recommend/ds_config_changes.hpp"
#include "analysis/table/column_roles.hpp"
#include "base/errors.hpp"
#include "base/text/shell_text.hpp"
#include "results/files/ready_settings.hpp"
#include "results/schema/columns.hpp"
#include "transports/nccl/functions.hpp"
#include "transports/nccl/tuner_file.hpp"

namespace ringmark::analysis {
namespace {

/// The flags and variables that a row was set to, among those that vary anywhere. Throws BadUsage for a value that
/// would break out of its line in a file.
std::vector<std::pair<std::string, std::string>> settings_of(const Table& table, const Scope& scope, std::size_t row) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& column : scope.choices) {
    auto value = table.cell(row, column);
    // No flag sets these: the model and framework of a replayed step are spelled differently, its parallelism has a
    // flag for each kind, and a library's version is what was installed.
    constexpr std::array of_no_flag{"memory", "model", "framework", "parallelism"};
    const bool is_of_no_flag = std::find(of_no_flag.begin(), of_no_flag.end(), column) != of_no_flag.end();
    if (value.empty() || is_of_no_flag || role_of(column) == Role::library_version) continue;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (std::any_of(value.begin(), value.end(), is_control)) {
      throw BadUsage(fmt::format("{}: column {}: a value with control characters cannot be written to a file",
                                 table.where(row), column));
    }
    const bool is_step = table.is(Schema::replay, row);
    settings.emplace_back(is_step ? std::string(replay_flag(column)) : column, std::move(value));
  }
  return settings;
}

/// The function of NCCL behind the table's only collective; empty if there are several.
std::string only_function(const Table& table) {
  const auto& collectives = table.text("collective");
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (collectives[row] != collectives[0]) return "";
  }
  return table.rows() > 0 ? nccl_function(collectives[0]) : "";
}

std::string evidence_of(const Recommendation& recommendation) {
  auto text = recommendation.finding;
  for (const auto& line : recommendation.evidence) text += "\n" + line;
  return text;
}

/// The settings of one row, including variables that it leaves unset.
ReadySettings ready_settings(const Recommendation& recommendation, const Table& table, const Scope& scope,
                             std::size_t row) {
  ReadySettings ready{evidence_of(recommendation), {}, {}};
  const auto collective = only_function(table);
  for (const auto& column : scope.choices) {
    if (setting_kind(column) == SettingKind::environment) ready.environment[column] = std::nullopt;
  }
  for (const auto& [name, value] : settings_of(table, scope, row)) {
    if (setting_kind(name) == SettingKind::environment) {
      ready.environment[name] = nccl_setting_of(name, value, collective);
    } else {
      ready.arguments.push_back(argument_of(name, value));
    }
  }
  return ready;
}

/// Lines for each collective, number of ranks and nodes. Omits those for which data types, or in place and out of
/// place, disagree, so that the plug-in's default applies.
std::string tuner_csv(const Recommendation& recommendation, const Table& table, const Scope& scope) {
  struct Range {
    std::uint64_t from, to;
    std::string algorithm, protocol;
    bool operator==(const Range&) const = default;
  };
  // collective, nodes, ranks → case → ranges
  std::map<std::tuple<std::string, int, int>, std::map<std::string, std::vector<Range>>> all;
  for (const auto& range : recommendation.by_size) {
    const auto& collective = table.text("collective")[range.row];
    if (nccl_function(collective).empty()) continue;
    Range out{range.from_bytes, range.to_bytes, "", ""};
    for (const auto& [name, value] : settings_of(table, scope, range.row)) {
      if (name == "NCCL_ALGO") out.algorithm = nccl_tuner_word(value, nccl_function(collective));
      if (name == "NCCL_PROTO") out.protocol = nccl_tuner_word(value, nccl_function(collective));
    }
    const auto whole = [&](const char* column) {
      const double value = table.figure(range.row, column).value_or(-1);
      return value > 0 ? static_cast<int>(value) : -1;
    };
    auto& ranges = all[{collective, whole("nodes"), whole("ranks")}][range.case_name + range.setting];
    // Between two measured sizes, the border is their geometric mean.
    if (!ranges.empty()) {
      const double middle = std::sqrt(static_cast<double>(ranges.back().to) * static_cast<double>(out.from));
      ranges.back().to = static_cast<std::uint64_t>(middle);
      out.from = ranges.back().to + 1;
    }
    ranges.push_back(std::move(out));
  }
  std::string text;
  for (const auto& [key, cases] : all) {
    const auto& [collective, nodes, ranks] = key;
    const auto& first = cases.begin()->second;
    const bool agree = std::all_of(cases.begin(), cases.end(), [&](const auto& each) { return each.second == first; });
    if (!agree) continue;
    // Smaller and larger sizes than the measured ones are treated as the nearest measured one.
    auto ranges = first;
    const auto& measured = scope.sizes.at(collective);
    if (ranges.front().from <= measured.least_bytes) ranges.front().from = 0;
    if (ranges.back().to >= measured.most_bytes) ranges.back().to = largest_tuned_bytes;
    for (const auto& range : ranges) {
      if (range.algorithm.empty() || range.protocol.empty()) continue;  // unknown: the plug-in's default
      text += nccl_tuner_line(
          {nccl_function(collective), range.from, range.to, range.algorithm, range.protocol, nodes, ranks});
    }
  }
  return text;
}

}  // namespace

Scope scope_of(const Table& table) {
  Scope scope{choices(table), {}};
  const auto& sizes = table.number("size_bytes");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!(sizes[row] > 0)) continue;
    const auto bytes = static_cast<std::uint64_t>(sizes[row]);
    auto& of = scope.sizes.try_emplace(table.text("collective")[row], Scope::Sizes{bytes, bytes}).first->second;
    of.least_bytes = std::min(of.least_bytes, bytes);
    of.most_bytes = std::max(of.most_bytes, bytes);
  }
  return scope;
}

std::vector<ReadyFile> ready_files(const Recommendation& recommendation, const Table& table, const Scope& scope) {
  std::vector<ReadyFile> files;
  if (const auto row = recommendation.row) {
    const auto ready = ready_settings(recommendation, table, scope, *row);
    if (!ready.are_none()) files.push_back({"best.env", best_env(ready)});
    if (auto conf = nccl_conf(ready); !conf.empty()) files.push_back({"nccl.conf", std::move(conf)});
    if (table.is(Schema::replay, *row)) {
      const auto changes = ds_config_changes(settings_of(table, scope, *row));
      if (!changes.empty()) files.push_back({"ds_config.changes.json", as_comment(ready.evidence, "//") + changes});
    }
  }
  if (auto lines = tuner_csv(recommendation, table, scope); !lines.empty()) files.push_back({"nccl_tuner.csv", lines});
  return files;
}

}  // namespace ringmark::analysis
