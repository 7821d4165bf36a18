#include "sweeps/training/sweep_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sweeps/file/launcher_file.hpp"

namespace ringmark::sweep {
namespace {

using Json = nlohmann::ordered_json;

/// Null is `unset`.
Json json_of(const Value& value) { return value ? Json(*value) : Json(); }

Json json_of(const std::map<std::string, Value>& values) {
  auto json = Json::object();
  for (const auto& [name, value] : values) json[name] = json_of(value);
  return json;
}

Json json_of(const std::vector<Value>& values) {
  auto json = Json::array();
  for (const auto& value : values) json.push_back(json_of(value));
  return json;
}

Json json_of(const Launcher& launcher) {
  const auto kinds = launcher_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.second == launcher.kind; });
  Json json{{"kind", kind->first}};
  if (launcher.command.size() == 1 && launcher.kind != LauncherKind::custom) json["command"] = launcher.command[0];
  if (launcher.kind == LauncherKind::custom) json["command"] = launcher.command;
  if (!launcher.arguments.empty()) json["arguments"] = launcher.arguments;
  return json;
}

std::string text_of(std::chrono::milliseconds time) { return fmt::format("{}ms", time.count()); }

std::string_view name(Search search) {
  switch (search) {
    case Search::grid:
      return "grid";
    case Search::random:
      return "random";
    case Search::bayesian:
      return "bayesian";
    case Search::halving:
      break;
  }
  return "halving";
}

}  // namespace

std::string text_of(const Sweep& sweep) {
  Json json{{"question", sweep.question}};
  for (const auto program : sweep.programs) json["program"].push_back(name(program));
  json["launcher"] = json_of(sweep.launcher);
  json["ranks"] = sweep.ranks;
  if (sweep.ranks_per_node) json["ranks_per_node"] = *sweep.ranks_per_node;
  if (!sweep.hosts.empty()) json["hosts"] = sweep.hosts;
  json["arguments"] = json_of(sweep.arguments);
  if (!sweep.environment.empty()) json["environment"] = json_of(sweep.environment);
  json["variables"] = Json::object();
  for (const auto& variable : sweep.variables) json["variables"][variable.name] = json_of(variable.values);
  if (!sweep.zips.empty()) json["zip"] = sweep.zips;
  for (const auto& exclusion : sweep.exclusions) {
    auto& one = json["exclude"].emplace_back(Json::object());
    for (const auto& [variable, values] : exclusion) one[variable] = json_of(values);
  }
  json["repetitions"] = sweep.repetitions;
  json["seed"] = sweep.seed;
  json["deadline"] = text_of(sweep.deadline);
  json["grace"] = text_of(sweep.grace);
  json["tune"] = {{"search", name(sweep.tuning.search)},
                  {"budget", {{"launches", sweep.tuning.budget_launches}}},
                  {"verify", sweep.tuning.verify_launches}};
  if (sweep.tuning.budget_time) json["tune"]["budget"]["time"] = text_of(*sweep.tuning.budget_time);
  constexpr int indent = 2;
  return json.dump(indent) + "\n";
}

}  // namespace ringmark::sweep
