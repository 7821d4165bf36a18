#include "bench/replay/import/formats.hpp"

namespace ringmark::replay {
Imported import_param(const nlohmann::json& json) {
  Imported imported;
  imported.format = "PARAM trace";
  for (const auto& record : json) {
    const auto name = record.value("comms", record.value("compute", ""));
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
    if (record.contains("world_size")) imported.ranks = record["world_size"].get<int>();
    imported.calls.push_back(call);
  }
  return imported;
}

}  // namespace ringmark::replay
