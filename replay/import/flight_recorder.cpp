#include <fmt/format.h>

#include "replay/import/formats.hpp"
#include "replay/import/named_groups.hpp"

namespace ringmark::replay {
namespace {

/// Elements of all tensors: [[2, 3], [4]] has 10.
std::uint64_t elements_in(const nlohmann::json& entry, const char* key) {
  std::uint64_t all = 0;
  for (const auto& tensor : entry.at(key)) {
    std::uint64_t elements = 1;
    for (const auto& extent : tensor) elements *= extent.get<std::uint64_t>();
    all += elements;
  }
  return all;
}

void declare_groups(Imported& imported, NamedGroups& groups, const nlohmann::json& configuration) {
  for (const auto& [id, group] : configuration.items()) {
    CommunicatorSeen seen;
    seen.members = ranks_in(nlohmann::json::parse(group.at("ranks").get<std::string>(), nullptr, false));
    seen.ranks = static_cast<int>(seen.members.size());
    for (const int rank : seen.members) imported.ranks = std::max(imported.ranks.value_or(0), rank + 1);
    // Gloo's have no name, and numbers from 0 in the group that the rank made last.
    if (!id.empty()) groups.declare(id, seen);
  }
}

void take_entry(Imported& imported, NamedGroups& groups, const nlohmann::json& entry) {
  const auto spelling = entry.at("profiling_name").get<std::string>();  // "nccl:all_reduce"
  const auto name = spelling.substr(spelling.find(':') + 1);
  if (name.find("barrier") != std::string::npos || name == "coalesced") return;
  const auto collective = collective_named(name);
  const auto& types = entry.at("input_dtypes");
  const auto type = types.empty() ? std::nullopt : type_named(types.at(0).get<std::string>());
  if (!collective || !type) {
    ++imported.not_understood[collective ? name + " of an unknown type" : name];
    return;
  }
  const Sizes sizes{elements_in(entry, "input_sizes"), elements_in(entry, "output_sizes"), ""};
  Call call{.collective = *collective, .elements = sizes.full(*collective), .type = *type, .phase = Phase::backward};
  const auto& group = entry.at("process_group");
  if (group.at(1) != "default_pg") call.communicator = groups.use(group.at(0).get<std::string>(), {});
  imported.calls.push_back(call);
}

}  // namespace

Imported import_flight_recorder(const nlohmann::json& json) {
  Imported imported;
  imported.format = fmt::format("Flight Recorder dump {}", json.at("version").get<std::string>());
  imported.remarks.emplace_back("a Flight Recorder dump has no computation, and no roots and reductions");
  imported.is_of_a_run = true;
  NamedGroups groups(imported);
  declare_groups(imported, groups, json.at("pg_config"));
  for (const auto& entry : json.at("entries")) take_record(imported, [&] { take_entry(imported, groups, entry); });
  return imported;
}

}  // namespace ringmark::replay
