#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "replay/import/formats.hpp"
#include "replay/import/messages.hpp"
#include "replay/import/named_groups.hpp"
#include "replay/import/operator_call.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

constexpr int most_depth = 10'000;

class ExecutionTrace {
 public:
  explicit ExecutionTrace(const Json& json) {
    imported_.format = fmt::format("PyTorch execution trace {}", json.value("schema", ""));
    for (const auto& node : json.at("nodes")) {
      take_record(imported_, [&] {
        static_cast<void>(node.at("name").get<std::string>());
        if (nodes_.emplace(node.at("id").get<std::int64_t>(), &node).second) in_order_.push_back(&node);
      });
    }
    std::stable_sort(in_order_.begin(), in_order_.end(),
                     [](const Json* a, const Json* b) { return a->at("id") < b->at("id"); });
  }

  Imported run() {
    for (const auto* node : in_order_) {
      const auto name = node->at("name").get<std::string>();
      take_record(imported_, [&] {
        if (name.find("process_group:init") != std::string::npos) declare_groups(*node);
        if (name == "record_param_comms" && node->contains("attrs")) note_attributes(*node);
      });
    }
    find_own_rank();
    for (const auto* node : in_order_) take_record(imported_, [&] { visit(*node); });
    imported_.own_groups = in_order_of_names(own_groups_);
    imported_.ranks = ranks_;
    if (ranks_.value_or(0) > 0) imported_.world = ranks_;
    return std::move(imported_);
  }

 private:
  const Json* parent_of(const Json& node) const {
    // Newer schemas spell it ctrl_deps.
    const auto found = node.contains("parent") ? node.find("parent") : node.find("ctrl_deps");
    if (found == node.end() || !found->is_number_integer()) return nullptr;
    const auto parent = nodes_.find(found->get<std::int64_t>());
    return parent == nodes_.end() || parent->second == &node ? nullptr : parent->second;
  }

  static bool is_layer(const std::string& name) { return name.starts_with("c10d::") || name == "record_param_comms"; }
  /// The record of a Gloo message lasts until the message ends, so later calls seem to be nested in it.
  static bool is_message_operator(const std::string& name) {
    return name.starts_with("c10d::") && message_named(name).has_value();
  }

  /// [{"pg_name": "1", "pg_desc": "tp", "ranks": [0, 2], "group_size": 2}, …] as a text; an empty list means all ranks.
  void declare_groups(const Json& node) {
    const auto& values = values_in(node, "inputs");
    if (values.empty() || !values.at(0).is_string()) return;
    for (const auto& group : Json::parse(values.at(0).get<std::string>())) {
      CommunicatorSeen seen{-1, std::max(0, rank_in(group, "group_size")),
                            ranks_in(group.value("ranks", Json::array()))};
      if (group.value("pg_desc", "") == "default_pg") ranks_ = seen.ranks;
      const auto name = group.at("pg_name").get<std::string>();
      own_groups_[name] = seen.members;
      groups_.declare(name, std::move(seen));
    }
  }

  /// Newer versions attach a call's attributes to its innermost record; here they are kept by its outermost one.
  void note_attributes(const Json& node) {
    Json attributes = Json::object();
    for (const auto& each : node["attrs"]) attributes[each.at("name").get<std::string>()] = each.at("value");
    const auto name = attributes.value("collective_name", "");
    if (name == "wait") waits_.insert(node.at("id").get<std::int64_t>());
    if (!collective_named(name) && !message_named(name)) return;
    const Json* outermost = &node;
    const Json* at = parent_of(node);
    for (int depth = 0; at != nullptr && depth < most_depth; ++depth, at = parent_of(*at)) {
      const auto above = at->at("name").get<std::string>();
      if (is_layer(above)) outermost = at;
      if (is_message_operator(above)) break;
    }
    // Among the arguments, the rank precedes the name of the collective.
    const auto& values = values_in(node, "inputs");
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] == attributes["collective_name"] && values[i - 1].is_number_unsigned())
        attributes["rank"] = values[i - 1];
    }
    attributes_.emplace(outermost->at("id").get<std::int64_t>(), std::move(attributes));
  }

  /// The group of a call as declared, or else as its attributes describe it. `rank` is the recording rank's number in
  /// it.
  CommunicatorSeen group_in(const Json& attributes, int rank) const {
    CommunicatorSeen seen{rank, std::max(0, rank_in(attributes, "pg_size")), {}};
    const int start = rank_in(attributes, "global_rank_start"), stride = rank_in(attributes, "global_rank_stride");
    const auto last = start + std::int64_t{stride} * (seen.ranks - 1);
    for (std::int64_t member = start; start >= 0 && stride > 0 && last < most_ranks && member <= last; member += stride)
      seen.members.push_back(static_cast<int>(member));
    auto declared = groups_.declared(attributes.value("pg_name", ""));
    if (declared.ranks > 0) seen.ranks = declared.ranks;
    if (!declared.members.empty()) seen.members = std::move(declared.members);
    return seen;
  }

  /// Finds the recording's rank from its collectives, which give its number in their group. Messages do not.
  void find_own_rank() {
    Imported uncounted;  // a call with wrong fields is counted when it is visited
    for (const auto& each : attributes_) {
      take_record(uncounted, [&] {
        const auto& attributes = each.second;
        const auto collective = collective_named(attributes.value("collective_name", ""));
        const int number = rank_in(attributes, "rank");
        if (!collective || is_rooted(*collective) || number < 0) return;
        own_numbers_.emplace(attributes.value("pg_name", ""), number);
        const auto seen = group_in(attributes, number);
        if (static_cast<std::size_t>(number) < seen.members.size())
          own_rank_ = seen.members[static_cast<std::size_t>(number)];
        else if (seen.members.empty() && seen.ranks == ranks_)
          own_rank_ = number;
      });
    }
  }

  /// The recording's rank in a group; -1 if it is unknown.
  int own_number(const std::string& group, const CommunicatorSeen& seen) const {
    const auto own = own_numbers_.find(group);
    return own != own_numbers_.end() ? own->second
                                     : number_among(seen.members, seen.ranks, ranks_.value_or(0), own_rank_);
  }

  void visit(const Json& node) {
    const auto name = node.at("name").get<std::string>();
    if (!is_layer(name) || waits_.contains(node.at("id").get<std::int64_t>())) return;
    Phase phase = Phase::forward;
    std::string group;
    const Json* at = parent_of(node);
    for (int depth = 0; at != nullptr && depth < most_depth; ++depth, at = parent_of(*at)) {
      const auto above = at->at("name").get<std::string>();
      // Several layers record one call; the outermost counts.
      if (name.starts_with("c10d::") && is_message_operator(above)) continue;
      if (is_layer(above)) return;
      if (above.starts_with("_c10d_functional") && group.empty()) group = group_among(values_in(*at, "inputs"));
      if (above.starts_with("autograd::engine")) phase = Phase::backward;
      if (above.starts_with("Optimizer.step")) phase = Phase::step;
    }
    if (const auto found = attributes_.find(node.at("id").get<std::int64_t>()); found != attributes_.end()) {
      add_recorded(name, found->second, phase);
      return;
    }
    if (auto call = call_of_operator(node, phase)) {
      if (!group.empty()) call->communicator = groups_.use(group, {});
      imported_.calls.push_back(*std::move(call));
    } else {
      ++imported_.not_understood[name];
    }
  }

  /// Functional collectives have their group's name among their arguments; empty if there is none.
  std::string group_among(const Json& values) const {
    for (const auto& value : values) {
      if (value.is_string() && groups_.is_declared(value.get<std::string>())) return value.get<std::string>();
    }
    return "";
  }

  void add_recorded(const std::string& record, const Json& attributes, Phase phase) {
    const auto called = attributes.at("collective_name").get<std::string>();
    const auto message = message_named(called);
    const auto collective = message ? std::optional(Collective::send_recv) : collective_named(called);
    const auto type = type_named(attributes.value("dtype", ""));
    const auto sizes = sizes_in(attributes, "in_msg_nelems", "out_msg_nelems", "in_split_size");
    const auto elements = sizes.full(*collective);
    const auto parts = sizes.sent_parts(*collective);
    if (const auto dtype = attributes.value("dtype", ""); !type && !dtype.empty()) {
      ++imported_.not_understood[fmt::format("{} of dtype {}", record, dtype)];
      return;
    }
    if (!type || (elements == 0 && parts.empty())) {
      ++imported_.not_understood[record];
      return;
    }
    const int rank = rank_in(attributes, "rank");  // for a message, the peer's
    Call call{*collective, elements, *type, 0, phase, phase == Phase::backward, 0};
    if (message) call = call_of({*message == MessageKind::send, rank, elements, *type}, phase);
    if (is_rooted(*collective)) call.root = std::max(0, rank);
    if (const auto found = attributes.find("is_asynchronized_op"); found != attributes.end() && found->is_boolean())
      call.is_async = found->get<bool>();
    const auto group = attributes.value("pg_name", "");
    auto seen = group_in(attributes, is_rooted(*collective) || message ? -1 : rank);
    if (message) seen.rank = own_number(group, seen);
    seen.id = group;
    if (seen.ranks > 0 || groups_.is_declared(group)) call.communicator = groups_.use(group, seen);
    call.is_uneven = sizes.are_uneven(*collective);
    call.parts = parts;
    imported_.calls.push_back(call);
  }

  std::unordered_map<std::int64_t, const Json*> nodes_;
  std::vector<const Json*> in_order_;        ///< by id, each with a name
  std::map<std::int64_t, Json> attributes_;  ///< by the call's outermost record
  std::set<std::int64_t> waits_;
  Imported imported_;
  NamedGroups groups_{imported_};
  std::map<std::string, std::vector<int>> own_groups_;  ///< by name
  std::optional<int> ranks_;
  std::map<std::string, int> own_numbers_;  ///< the recording's rank in groups, by the group's name
  int own_rank_ = -1;                       ///< among all ranks
};

}  // namespace

Imported import_execution_trace(const nlohmann::json& json) { return ExecutionTrace(json).run(); }

}  // namespace ringmark::replay
