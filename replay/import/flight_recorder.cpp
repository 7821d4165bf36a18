#include <fmt/format.h>

#include "base/text/line_cursor.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/messages.hpp"
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
    // Gloo's entries have no name, and number their ranks from 0 within the group that the rank made last.
    if (!id.empty()) groups.declare(id, seen);
  }
}

/// "send 0->1" or "recv 1<-0", with the ranks' numbers in their group.
struct MessageName {
  MessageKind kind;
  int rank = 0, peer = 0;
};

std::optional<MessageName> message_in(const std::string& name) {
  LineCursor scan(name);
  const auto kind = message_named(std::string(scan.until(" ")));
  if (!kind || !scan.skip(" ")) return std::nullopt;
  MessageName message{*kind};
  if (!scan.number(message.rank) || !(scan.skip("->") || scan.skip("<-")) || !scan.number(message.peer))
    return std::nullopt;
  const bool is_read = scan.rest().empty() && message.rank >= 0 && message.peer >= 0;
  return is_read ? std::optional(message) : std::nullopt;
}

void take_message(Imported& imported, NamedGroups& groups, const nlohmann::json& entry, const MessageName& message) {
  const bool is_sent = message.kind == MessageKind::send;
  const auto& types = entry.at(is_sent ? "input_dtypes" : "output_dtypes");
  const auto type = types.empty() ? std::nullopt : type_named(types.at(0).get<std::string>());
  const auto elements = elements_in(entry, is_sent ? "input_sizes" : "output_sizes");
  if (!type || elements == 0) {
    ++imported.not_understood[is_sent ? "send of an unknown size" : "recv of an unknown size"];
    return;
  }
  auto call = call_of({is_sent, message.peer, elements, *type}, Phase::backward);
  const auto& group = entry.at("process_group");
  if (group.at(1) == "default_pg")
    imported.rank = message.rank;
  else
    call.communicator =
        groups.use(group.at(0).get<std::string>(), {message.rank, 0, {}, group.at(0).get<std::string>()});
  imported.calls.push_back(std::move(call));
}

void take_entry(Imported& imported, NamedGroups& groups, const nlohmann::json& entry) {
  const auto spelling = entry.at("profiling_name").get<std::string>();  // "nccl:all_reduce"
  const auto name = spelling.substr(spelling.find(':') + 1);
  if (name.find("barrier") != std::string::npos || name == "coalesced") return;
  if (const auto message = message_in(name)) return take_message(imported, groups, entry, *message);
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
  imported.remarks.emplace_back("a Flight Recorder dump has no computation, roots or reductions");
  imported.is_of_a_run = true;
  NamedGroups groups(imported);
  declare_groups(imported, groups, json.at("pg_config"));
  for (const auto& entry : json.at("entries")) take_record(imported, [&] { take_entry(imported, groups, entry); });
  return imported;
}

}  // namespace ringmark::replay
