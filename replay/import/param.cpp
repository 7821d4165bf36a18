#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "replay/import/formats.hpp"
#include "replay/import/named_groups.hpp"

namespace ringmark::replay {

namespace {

/// PARAM numbers the root among all ranks.
int place_among(const std::vector<int>& members, int root) {
  const auto found = std::find(members.begin(), members.end(), root);
  return found == members.end() ? root : static_cast<int>(found - members.begin());
}

}  // namespace

Imported import_param(const nlohmann::json& json) {
  Imported imported;
  imported.format = "PARAM trace";
  NamedGroups groups(imported);
  const auto take = [&](const nlohmann::json& record) {
    const auto name = record.value("comms", record.value("compute", ""));
    // A group's ranks are recorded at its creation; its calls have the group's own world_size.
    const auto id = record.find("pg_id");
    const auto group = id == record.end() || id->is_null() ? "" : id->dump();
    CommunicatorSeen seen{-1, std::max(0, rank_in(record, "world_size")),
                          ranks_in(record.value("global_ranks", nlohmann::json::array()))};
    if (!seen.members.empty()) seen.ranks = static_cast<int>(seen.members.size());
    if (name == "init" && !group.empty() && seen.ranks > 0) {
      groups.declare(group, seen);
      for (const int rank : seen.members) imported.ranks = std::max(imported.ranks.value_or(0), rank + 1);
    }
    if (name == "wait" || name == "barrier" || name == "init") return;
    const auto collective = collective_named(name);
    const auto called = record.value("dtype", "");
    const auto type = type_named(called);
    if (!record.contains("comms") || !collective || !type) {
      ++imported.not_understood[name.empty()                               ? "record without comms"
                                : !record.contains("comms") || !collective ? name
                                : called.empty()                           ? name + " without dtype"
                                                 : fmt::format("{} of dtype {}", name, called)];
      return;
    }
    Call call{*collective, 0, *type, record.value("root", 0), Phase::backward, record.contains("req"), 0};
    const auto sizes = sizes_in(record, "in_msg_size", "out_msg_size", "in_split");
    call.elements = sizes.full(*collective);
    call.parts = sizes.sent_parts(*collective);
    if (call.elements == 0 && call.parts.empty()) {
      ++imported.not_understood[name + " of nothing"];
      return;
    }
    if (const auto world = record.find("world_size"); world != record.end() && world->is_number_integer()) {
      using Limits = std::numeric_limits<int>;
      const auto ranks = std::clamp<std::int64_t>(world->get<std::int64_t>(), Limits::min(), Limits::max());
      imported.ranks = std::max(imported.ranks.value_or(Limits::min()), static_cast<int>(ranks));
    }
    if (!group.empty() && (groups.is_declared(group) || seen.ranks > 0)) {
      call.communicator = groups.use(group, seen);
      call.root = place_among(imported.communicators[static_cast<std::size_t>(call.communicator)].members, call.root);
    }
    call.is_uneven = sizes.are_uneven(*collective);
    imported.calls.push_back(call);
  };
  for (const auto& record : json) take_record(imported, [&] { take(record); });
  return imported;
}

}  // namespace ringmark::replay
