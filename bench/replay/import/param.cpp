#include <algorithm>
#include <limits>

#include "bench/replay/import/formats.hpp"
#include "bench/replay/import/named_groups.hpp"

namespace ringmark::replay {
Imported import_param(const nlohmann::json& json) {
  Imported imported;
  imported.format = "PARAM trace";
  NamedGroups groups(imported);
  for (const auto& record : json) {
    const auto name = record.value("comms", record.value("compute", ""));
    const auto ranks = std::max(0, rank_in(record, "world_size"));
    // A group has its ranks where it is made, and a world_size of its own.
    const auto id = record.find("pg_id");
    const auto group = id == record.end() || id->is_null() ? "" : id->dump();
    const auto members = ranks_in(record.value("global_ranks", nlohmann::json::array()));
    if (name == "init" && !group.empty())
      groups.declare(group, {-1, members.empty() ? ranks : static_cast<int>(members.size()), members});
    if (name == "wait" || name == "barrier" || name == "init") continue;
    const auto collective = collective_named(name);
    const auto type = type_named(record.value("dtype", ""));
    if (!record.contains("comms") || !collective || !type) {
      ++imported.not_understood[name.empty() ? "record without comms" : name];
      continue;
    }
    Call call{*collective, 0, *type, record.value("root", 0), Phase::backward, record.contains("req"), 0};
    call.elements = full_elements(*collective, record.value("in_msg_size", std::uint64_t{0}),
                                  record.value("out_msg_size", std::uint64_t{0}));
    if (call.elements == 0) {
      ++imported.not_understood[name + " of nothing"];
      continue;
    }
    if (record.contains("world_size"))
      imported.ranks =
          std::max(imported.ranks.value_or(std::numeric_limits<int>::min()), record["world_size"].get<int>());
    if (!group.empty() && (groups.is_declared(group) || !members.empty() || ranks > 0))
      call.communicator = groups.use(group, {-1, members.empty() ? ranks : static_cast<int>(members.size()), members});
    imported.calls.push_back(call);
  }
  return imported;
}

}  // namespace ringmark::replay
