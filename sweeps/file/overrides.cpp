#include "sweeps/file/overrides.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/variable_override.hpp"
#include "sweeps/nodes/node_launch.hpp"

namespace ringmark::sweep {
namespace {

bool varies(const Sweep& sweep, Target target) {
  return std::any_of(sweep.variables.begin(), sweep.variables.end(),
                     [&](const Variable& variable) { return variable.target == target; });
}

bool starts_on_hosts(const Sweep& sweep) {
  return sweep.launcher.kind != LauncherKind::local && !needs_nodes(sweep.launcher.kind);
}

/// All nodes are used, like all hosts from outside the file.
void place_on_nodes(const Overrides& overrides, Sweep& sweep) {
  sweep.hosts.clear();
  if (varies(sweep, Target::ranks_per_node)) return;
  const int nodes = overrides.nodes.value_or(1);
  // A single node runs all ranks, unless ranks_per_node is given.
  if (nodes == 1 && !sweep.ranks_per_node) sweep.ranks_per_node = most_slots;
  if (nodes > 1 && !overrides.ranks && !varies(sweep, Target::ranks))
    sweep.ranks = nodes * sweep.ranks_per_node.value_or(1);
}

void place_on_hosts(const Overrides& overrides, Sweep& sweep) {
  std::optional<int> slots;
  if (!overrides.hosts.empty()) {
    sweep.hosts = overrides.hosts;
  } else {
    sweep.hosts = names_of(*overrides.allocation);
    slots = ranks_per_node_of(*overrides.allocation);
  }
  if (varies(sweep, Target::ranks_per_node)) return;
  if (slots && !overrides.ranks_per_node)
    sweep.ranks_per_node = std::min(sweep.ranks_per_node.value_or(*slots), *slots);
  if (!overrides.ranks && !varies(sweep, Target::ranks))
    sweep.ranks = static_cast<int>(sweep.hosts.size()) * sweep.ranks_per_node.value_or(1);
}

}  // namespace

void to_json(nlohmann::json& json, const Overrides& overrides) {
  json = nlohmann::json::object();
  if (overrides.ranks) json["ranks"] = *overrides.ranks;
  if (overrides.ranks_per_node) json["ranks_per_node"] = *overrides.ranks_per_node;
  if (overrides.nodes) json["nodes"] = *overrides.nodes;
  if (!overrides.hosts.empty()) json["hosts"] = overrides.hosts;
  if (!overrides.launcher.empty()) json["launcher"] = overrides.launcher;
  if (!overrides.variables.empty()) json["variables"] = overrides.variables;
  if (overrides.allocation) json["allocation"] = *overrides.allocation;
  if (!overrides.labels.empty()) json["labels"] = overrides.labels;
}

void from_json(const nlohmann::json& json, Overrides& overrides) {
  if (json.contains("ranks")) overrides.ranks = json.at("ranks").get<int>();
  if (json.contains("ranks_per_node")) overrides.ranks_per_node = json.at("ranks_per_node").get<int>();
  if (json.contains("nodes")) overrides.nodes = json.at("nodes").get<int>();
  overrides.hosts = json.value("hosts", std::vector<std::string>());
  overrides.launcher = json.value("launcher", "");
  overrides.labels = json.value("labels", std::vector<std::string>());
  overrides.variables = json.value("variables", std::map<std::string, std::string>());
  if (json.contains("allocation")) overrides.allocation = json.at("allocation").get<Allocation>();
}

std::optional<Problem> problem_of_hosts(const Overrides& overrides, const Sweep& sweep) {
  const bool is_list = !overrides.hosts.empty();
  const bool is_file = overrides.allocation && overrides.allocation->source == AllocationSource::host_file;
  if (starts_on_hosts(sweep) || !(is_list || is_file)) return std::nullopt;
  const bool on_nodes = needs_nodes(sweep.launcher.kind);
  return Problem{.flag = is_list ? "--hosts" : "--hostfile",
                 .value = is_list ? fmt::format("{}", fmt::join(overrides.hosts, ",")) : overrides.allocation->from,
                 .text = on_nodes ? "with the sweep's launcher, another system starts the nodes"
                                  : "the sweep's launcher starts ranks on this machine only",
                 .remedy = on_nodes
                               ? "start ringmark-sweep on each of them without this flag, or give another --launcher"
                               : "give another --launcher as well"};
}

bool uses_allocation(const Overrides& overrides, const Sweep& sweep) {
  if (!overrides.allocation || !overrides.hosts.empty() || !starts_on_hosts(sweep)) return false;
  return overrides.allocation->source == AllocationSource::host_file || sweep.hosts.empty();
}

std::vector<Problem> apply(const Overrides& overrides, Sweep& sweep) {
  std::vector<Problem> problems;
  const auto set = [&](const char* flag, Target target, const std::optional<int>& value, auto& member) {
    if (!value) return;
    if (varies(sweep, target)) {
      problems.push_back({.flag = flag,
                          .value = std::to_string(*value),
                          .text = "the sweep varies this",
                          .remedy = fmt::format("give --variable {}={}, or leave the flag out",
                                                target == Target::ranks ? "ranks" : "ranks_per_node", *value)});
    }
    member = *value;
  };
  set("--ranks", Target::ranks, overrides.ranks, sweep.ranks);
  set("--ranks-per-node", Target::ranks_per_node, overrides.ranks_per_node, sweep.ranks_per_node);
  sweep.labels = overrides.labels;
  for (const auto& [name, kind] : launcher_kinds()) {
    if (name == overrides.launcher && kind != sweep.launcher.kind) sweep.launcher = {kind, {}, {}};
  }
  for (const auto& [name, values] : overrides.variables) {
    for (auto& problem : override_variable(name, values, sweep)) problems.push_back(std::move(problem));
  }
  if (auto problem = problem_of_hosts(overrides, sweep)) {
    problems.push_back(*std::move(problem));
  } else if (needs_nodes(sweep.launcher.kind)) {
    place_on_nodes(overrides, sweep);
  } else if (!overrides.hosts.empty() || uses_allocation(overrides, sweep)) {
    place_on_hosts(overrides, sweep);
  }
  return problems;
}

}  // namespace ringmark::sweep
