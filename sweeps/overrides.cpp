#include "sweeps/overrides.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sweeps/launcher_file.hpp"

namespace ringmark::sweep {

void to_json(nlohmann::json& json, const Overrides& overrides) {
  json = nlohmann::json::object();
  if (overrides.ranks) json["ranks"] = *overrides.ranks;
  if (overrides.ranks_per_node) json["ranks_per_node"] = *overrides.ranks_per_node;
  if (!overrides.hosts.empty()) json["hosts"] = overrides.hosts;
  if (!overrides.launcher.empty()) json["launcher"] = overrides.launcher;
}

void from_json(const nlohmann::json& json, Overrides& overrides) {
  if (json.contains("ranks")) overrides.ranks = json.at("ranks").get<int>();
  if (json.contains("ranks_per_node")) overrides.ranks_per_node = json.at("ranks_per_node").get<int>();
  overrides.hosts = json.value("hosts", std::vector<std::string>());
  overrides.launcher = json.value("launcher", "");
}

std::vector<Problem> apply(const Overrides& overrides, Sweep& sweep) {
  std::vector<Problem> problems;
  const auto set = [&](const char* flag, Target target, const std::optional<int>& value, auto& member) {
    if (!value) return;
    const bool is_varied = std::any_of(sweep.variables.begin(), sweep.variables.end(),
                                       [&](const Variable& variable) { return variable.target == target; });
    if (is_varied) {
      problems.push_back({.flag = flag,
                          .value = std::to_string(*value),
                          .text = "the sweep varies this",
                          .remedy = "leave the flag out, or edit the file's variables"});
    }
    member = *value;
  };
  set("--ranks", Target::ranks, overrides.ranks, sweep.ranks);
  set("--ranks-per-node", Target::ranks_per_node, overrides.ranks_per_node, sweep.ranks_per_node);
  if (!overrides.hosts.empty()) sweep.hosts = overrides.hosts;
  for (const auto& [name, kind] : launcher_kinds()) {
    if (name == overrides.launcher && kind != sweep.launcher.kind) sweep.launcher = {kind, {}, {}};
  }
  return problems;
}

}  // namespace ringmark::sweep
