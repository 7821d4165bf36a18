#include "analysis/fit/fit_groups.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/table/column_roles.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

/// NCCL's "Ring" is our ring.
std::string as_schedule(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Rows that differ in one of these columns have separate models. The network is not among them, since it is unknown
/// for some rows.
constexpr std::size_t schema_at = 0, transport_at = 1, memory_at = 2, collective_at = 3, datatype_at = 4, op_at = 5,
                      algorithm_at = 6, timing_at = 7, in_place_at = 8, first_setting = 9;
std::vector<std::string> model_columns(const Table& table) {
  std::vector<std::string> columns{"schema", "transport",      "memory", "collective", "datatype",
                                   "op",     "algorithm_used", "timing", "in_place"};
  for (const auto& name : table.extra_columns()) {
    const bool has_models_of_its_own = (is_choice(name) && !is_origin_in(table, name)) ||
                                       (names_group(name) && name != "members") || name == "counts" ||
                                       name == "pattern";
    if (!is_measured(name) && has_models_of_its_own && name != configuration_column) columns.push_back(name);
  }
  if (has_agreed_starts(table)) columns.emplace_back("start");
  return columns;
}

/// Model columns, followed by ranks, nodes, size and network.
std::vector<std::string> all_columns(const Table& table) {
  auto columns = model_columns(table);
  columns.insert(columns.end(), {"ranks", "nodes", "size_bytes", "network"});
  return columns;
}

/// Drops the rows of single groups: a step waits for the slowest of concurrent groups, so groups of a kind share one
/// model.
std::vector<std::size_t> without_single_groups(const Table& table, const std::vector<std::size_t>& rows) {
  auto some = rows;
  if (!table.has("groups") || !table.has("members")) return some;
  const auto &groups = table.text("groups"), &members = table.text("members");
  std::erase_if(some, [&](auto row) { return !groups[row].empty() && !members[row].empty(); });
  return some;
}

}  // namespace

FitGroups::FitGroups(const Table& table, const std::vector<std::size_t>& rows)
    : table_(table),
      model_columns_(model_columns(table).size()),
      groups_(table, without_single_groups(table, rows), all_columns(table)) {
  for (const auto& group : groups_.groups()) {
    if (groups_.value(group, collective_at) != name(LinkTest::burst)) all_.push_back(&group);
  }
}

std::vector<std::uint32_t> FitGroups::model_of(const Group& group) const {
  std::vector<std::uint32_t> key(group.key.begin(), group.key.begin() + static_cast<std::ptrdiff_t>(model_columns_));
  key.push_back(static_cast<std::uint32_t>(ranks_per_node(group)));
  return key;
}

const std::string& FitGroups::network_of(const Group& group) const {
  return groups_.value(group, groups_.columns().size() - 1);
}

int FitGroups::ranks(const Group& group) const { return static_cast<int>(table_.number("ranks")[group.rows.front()]); }

std::uint64_t FitGroups::size_bytes(const Group& group) const {
  return static_cast<std::uint64_t>(table_.number("size_bytes")[group.rows.front()]);
}

/// The default of FitModel if the number of nodes is unknown. A link has two ends, which may be on one host.
int FitGroups::ranks_per_node(const Group& group) const {
  const auto row = group.rows.front();
  const double ranks = table_.number("ranks")[row], nodes = table_.number("nodes")[row];
  const bool is_link = groups_.value(group, schema_at) == name(Schema::link);
  return nodes >= 1 ? std::max(1, static_cast<int>((is_link ? 2 : ranks) / nodes)) : FitModel{}.ranks_per_node;
}

FitModel FitGroups::describe(const Group& group) const {
  FitModel model;
  model.transport = groups_.value(group, transport_at);
  model.memory = groups_.value(group, memory_at);
  model.collective = groups_.value(group, collective_at);
  model.datatype = groups_.value(group, datatype_at);
  model.op = groups_.value(group, op_at);
  model.algorithm = as_schedule(groups_.value(group, algorithm_at));
  model.timing = groups_.value(group, timing_at);
  model.in_place = groups_.value(group, in_place_at) == "1" ? 1 : 0;
  std::vector<std::string> settings;
  for (std::size_t c = first_setting; c < model_columns_; ++c) {
    if (const auto& value = groups_.value(group, c); !value.empty())
      settings.push_back(groups_.columns()[c] + "=" + value);
  }
  model.settings = fmt::format("{}", fmt::join(settings, " "));
  model.ranks_per_node = ranks_per_node(group);
  return model;
}

}  // namespace ringmark::analysis
