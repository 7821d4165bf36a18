#include "replay/trace/role_trace_file.hpp"

#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/json_lines.hpp"
#include "base/write_file.hpp"
#include "replay/trace/trace_file.hpp"
#include "replay/trace/trace_header.hpp"
#include "replay/trace/work_json.hpp"

namespace ringmark::replay {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr auto schema = "steptrace/2";

OrderedJson header_of(const RoleTrace& trace) {
  OrderedJson json{{"schema", schema}, {"id", trace.id}, {"model", trace.model}, {"P", trace.model_elements}};
  json["source"] = trace.source;
  json["ranks"] = trace.ranks;
  json["micro_batches"] = trace.micro_batches;
  json["micro_batch"] = trace.micro_batch;
  json["sequence"] = trace.sequence;
  json["dtype"] = name(trace.type);
  json["params"] = trace.parameters;
  for (const auto& group : trace.groups) {
    auto& list = json["groups"].emplace_back(OrderedJson{{"name", group.name}, {"dims", OrderedJson::array()}})["dims"];
    for (const auto& [size, stride] : group.dimensions) list.push_back({size, stride});
  }
  json["role_stride"] = trace.role_stride;
  json["passes"] = trace.passes.size();
  json["roles"] = trace.roles.size();
  return json;
}

class Writer {
 public:
  Writer(const RoleTrace& trace, std::ostream& out) : trace_(trace), out_(out) {}

  void run() {
    line(header_of(trace_));
    for (const auto& pass : trace_.passes) {
      OrderedJson json{{"k", "pass"}, {"name", pass.name}};
      if (pass.chunk) json["chunk"] = *pass.chunk;
      json["events"] = pass.events.size();
      line(json);
      for (const auto& event : pass.events) line(json_of(event));
    }
    for (const auto& role : trace_.roles) {
      OrderedJson json{{"k", "role"}, {"name", role.name}, {"plays", role.plays.size()}};
      for (const auto& [what, bytes, grows] : role.memory)
        json["memory"].push_back(OrderedJson{{"what", what}, {"bytes", bytes}, {"grows", grows}});
      line(json);
      for (const auto& play : role.plays) {
        OrderedJson of_play{{"pass", play.pass}};
        if (play.micro_batch) of_play["m"] = *play.micro_batch;
        line(of_play);
      }
    }
  }

 private:
  void line(const OrderedJson& json) { out_ << json.dump() << '\n'; }
  const std::string& group_name(int group) const { return trace_.groups[static_cast<std::size_t>(group)].name; }

  OrderedJson json_of(const Event& event) const {
    OrderedJson json{{"k", name(event.kind)}, {"ph", name(event.phase)}};
    if (!event.after.empty()) json["d"] = event.after;
    if (computes(event)) add_work(event, json);
    if (is_call(event)) {
      const bool is_collective = event.kind == EventKind::collective;
      if (is_collective) json["op"] = name(event.collective);
      json["n"] = event.elements;
      json["dt"] = name(event.type);
      json["g"] = group_name(event.group);
      if (!is_collective) json["peer"] = event.peer;
      if (is_collective && reduces(event.collective)) json["red"] = name(event.op);
      if (is_collective && is_rooted(event.collective)) json["root"] = event.root;
      if (!event.counts.empty()) json["counts"] = event.counts;
      json["async"] = event.is_async;
      if (event.batch) json["batch"] = *event.batch;
      if (event.is_boolean) json["bool"] = true;
      if (event.depends_on_routing) json["routed"] = true;
    }
    if (event.drains) json["drains"] = group_name(*event.drains);
    if (event.oldest_message_of) {
      json["message"] = group_name(*event.oldest_message_of);
      json["peer"] = event.peer;
    }
    if (!event.tag.empty()) json["tag"] = event.tag;
    return json;
  }

  const RoleTrace& trace_;
  std::ostream& out_;
};

class Reader {
 public:
  Reader(std::istream& in, const std::string& file) : lines_(in, file) {}

  RoleTrace run() {
    if (!lines_.next_line()) lines_.refuse("the file is empty; expected the header of a {}", schema);
    read_header(lines_.parse());
    for (std::size_t at = 0; at < passes_; ++at) read_pass(next("pass"));
    for (std::size_t at = 0; at < roles_; ++at) read_role(next("role"));
    while (lines_.next_line()) {
      if (!lines_.is_blank()) lines_.refuse("more lines than the header announces");
    }
    return std::move(trace_);
  }

 private:
  static constexpr int most_groups = 256, most_messages = 1 << 24;

  Json next(const char* kind) {
    auto json = next_line(kind);
    if (lines_.text(json, "k") != kind) lines_.refuse("k: expected {}, found {}", kind, json["k"].dump());
    return json;
  }
  Json next_line(const char* what) {
    if (!lines_.next_line()) lines_.refuse("expected a {}: the file is cut off", what);
    return lines_.parse();
  }

  void read_header(const Json& json) {
    if (lines_.text_or(json, "schema", "") != schema)
      lines_.refuse("schema: expected \"{}\", found {}", schema,
                    json.contains("schema") ? json["schema"].dump() : "none");
    trace_.id = lines_.text_or(json, "id", "");
    trace_.model = lines_.text_or(json, "model", "");
    trace_.source = lines_.text_or(json, "source", "");
    trace_.model_elements = lines_.number_or(json, "P", std::uint64_t{0}, most_elements, std::uint64_t{0});
    trace_.ranks = lines_.number(json, "ranks", 1, most_ranks);
    trace_.micro_batches = lines_.number(json, "micro_batches", 1, most_micro_steps);
    trace_.micro_batch = lines_.number_or(json, "micro_batch", std::uint64_t{0}, most_elements, std::uint64_t{0});
    trace_.sequence = lines_.number_or(json, "sequence", std::uint64_t{0}, most_elements, std::uint64_t{0});
    trace_.type = type_of(json, "dtype");
    const auto parameters = json.value("params", Json::object());
    if (!parameters.is_object()) lines_.refuse("params: expected an object, found {}", parameters.dump());
    for (const auto& [key, value] : parameters.items())
      trace_.parameters[key] = value.is_string() ? value.get<std::string>() : value.dump();
    read_groups(json.value("groups", Json::array()));
    trace_.role_stride = lines_.number(json, "role_stride", 1, most_ranks);
    passes_ = lines_.number(json, "passes", std::size_t{1}, most_events);
    roles_ = lines_.number(json, "roles", std::size_t{1}, std::size_t{most_ranks});
    if (static_cast<std::uint64_t>(trace_.role_stride) * roles_ > static_cast<std::uint64_t>(trace_.ranks))
      lines_.refuse("role_stride: {} roles of {} ranks each are more than {} ranks", roles_, trace_.role_stride,
                    trace_.ranks);
  }

  void read_groups(const Json& list) {
    if (!list.is_array() || list.empty() || list.size() > most_groups)
      lines_.refuse("groups: expected a list of 1 to {}", most_groups);
    for (const auto& each : list) {
      RankGroup group{lines_.text(each, "name"), {}};
      const auto dimensions = each.value("dims", Json::array());
      std::uint64_t reach = 1, last = 0;  // of the first group: the number of its last rank
      for (const auto& dimension : dimensions) {
        const bool is_pair = dimension.is_array() && dimension.size() == 2 && dimension[0].is_number_unsigned() &&
                             dimension[1].is_number_unsigned();
        const auto size = is_pair ? dimension[0].get<std::uint64_t>() : 0;
        const auto stride = is_pair ? dimension[1].get<std::uint64_t>() : 0;
        const bool fits = size >= 2 && size <= most_ranks && stride >= reach && stride <= most_ranks;
        reach = size * stride;
        last += (size - 1) * stride;
        if (!fits || last >= static_cast<std::uint64_t>(trace_.ranks))
          lines_.refuse(
              "groups: {}: expected [size, stride], with strides of at least the extent of the dimensions before them "
              "and a group within {} ranks, found {}",
              group.name, trace_.ranks, dimension.dump());
        group.dimensions.push_back({static_cast<int>(size), static_cast<int>(stride)});
      }
      trace_.groups.push_back(std::move(group));
    }
  }

  DataType type_of(const Json& json, const char* field) const {
    const auto text = lines_.text(json, field);
    const auto type = parse_datatype(text);
    if (!type) lines_.refuse("{}: '{}' is not a datatype", field, text);
    return *type;
  }
  int group_of(const Json& json, const char* field) const {
    return index_of(trace_.groups, lines_.text(json, field), field, lines_);
  }

  void read_pass(const Json& json) {
    Pass pass{lines_.text(json, "name"), std::nullopt, {}};
    if (json.contains("chunk")) pass.chunk = lines_.number(json, "chunk", 0, most_ranks);
    const auto events = lines_.number(json, "events", std::size_t{1}, most_events);
    for (std::size_t at = 0; at < events; ++at) pass.events.push_back(event_of(next_line("event"), at));
    trace_.passes.push_back(std::move(pass));
  }

  Event event_of(const Json& json, std::size_t at) const {
    Event event;
    const auto kind = lines_.text(json, "k");
    const auto phase = parse_phase(lines_.text(json, "ph"));
    if (!phase) lines_.refuse("ph: expected fwd, recomp, bwd or step, found {}", json["ph"].dump());
    event.phase = *phase;
    event.tag = lines_.text_or(json, "tag", "");
    for (const auto& each : json.value("d", Json::array())) {
      if (!each.is_number_unsigned() || each.get<std::uint64_t>() >= at)
        lines_.refuse("d: expected earlier events of the pass, found {}", each.dump());
      event.after.push_back(each.get<int>());
    }
    if (kind == "comp" || kind == "copy") {
      event.kind = kind == "comp" ? EventKind::compute : EventKind::copy;
      read_work(json, kind, lines_, event);
    } else if (kind == "coll") {
      event.kind = EventKind::collective;
      const auto op = lines_.text(json, "op");
      const auto collective = parse_collective(op);
      if (!collective) lines_.refuse("op: '{}' is unknown", op);
      event.collective = *collective;
      read_call(json, event);
    } else if (kind == "send" || kind == "recv") {
      event.kind = kind == "send" ? EventKind::send : EventKind::receive;
      event.peer = lines_.number(json, "peer", -most_ranks, most_ranks);
      read_call(json, event);
    } else if (kind == "wait") {
      event.kind = EventKind::wait;
      if (json.contains("drains")) event.drains = group_of(json, "drains");
      if (json.contains("message")) {
        event.oldest_message_of = group_of(json, "message");
        event.peer = lines_.number(json, "peer", -most_ranks, most_ranks);
      }
    } else {
      lines_.refuse("k: expected comp, copy, coll, send, recv or wait, found {}", kind);
    }
    return event;
  }

  void read_call(const Json& json, Event& event) const {
    event.elements = lines_.number(json, "n", std::uint64_t{0}, most_elements);
    event.type = type_of(json, "dt");
    event.group = event.channel = group_of(json, "g");
    event.is_async = lines_.truth_or(json, "async", false);
    event.is_boolean = lines_.truth_or(json, "bool", false);
    event.depends_on_routing = lines_.truth_or(json, "routed", false);
    const int members = trace_.groups[static_cast<std::size_t>(event.group)].size();
    event.root = lines_.number_or(json, "root", 0, members - 1, 0);
    if (json.contains("counts")) read_counts(json["counts"], members, lines_, event);
    if (json.contains("batch")) event.batch = lines_.number(json, "batch", 0, most_messages);
    if (!json.contains("red")) return;
    const auto op = parse_reduce_op(lines_.text(json, "red"));
    if (!op) lines_.refuse("red: {} is not a reduction", json["red"].dump());
    event.op = *op;
  }

  void read_role(const Json& json) {
    Role role{lines_.text(json, "name"), {}, {}};
    for (const auto& part : json.value("memory", Json::array()))
      role.memory.push_back(
          {lines_.text(part, "what"), lines_.amount(part, "bytes"), lines_.truth_or(part, "grows", false)});
    const auto plays = lines_.number(json, "plays", std::size_t{1}, most_events);
    for (std::size_t at = 0; at < plays; ++at) {
      const auto play = next_line("play");
      role.plays.push_back({lines_.number(play, "pass", 0, static_cast<int>(trace_.passes.size()) - 1), std::nullopt});
      if (play.contains("m")) role.plays.back().micro_batch = lines_.number(play, "m", 0, most_micro_steps);
    }
    check_groups(role);
    trace_.roles.push_back(std::move(role));
  }

  /// Checks that the first rank of a role has all its peers, and all members of the groups in which it calls.
  void check_groups(const Role& role) const {
    const int rank = static_cast<int>(trace_.roles.size()) * trace_.role_stride;
    std::vector<bool> is_used(trace_.groups.size());
    std::vector<bool> is_seen(trace_.passes.size());
    for (const auto& play : role.plays) {
      const auto at = static_cast<std::size_t>(play.pass);
      if (is_seen[at]) continue;
      is_seen[at] = true;
      for (const auto& event : trace_.passes[at].events) {
        if (event.kind == EventKind::collective) is_used[static_cast<std::size_t>(event.group)] = true;
        const int peer = rank + event.peer;
        if (peer < 0 || peer >= trace_.ranks)
          lines_.refuse("role {}: rank {} has no peer {:+} among {} ranks", role.name, rank, event.peer, trace_.ranks);
      }
    }
    for (std::size_t at = 0; at < is_used.size(); ++at) {
      if (is_used[at] && trace_.groups[at].members(rank).back() >= trace_.ranks)
        lines_.refuse("role {}: the group {} has ranks beyond {}", role.name, trace_.groups[at].name, trace_.ranks - 1);
    }
  }

  JsonLines lines_;
  RoleTrace trace_;
  std::size_t passes_ = 0, roles_ = 0;
};

bool has_roles(std::istream& in, const std::string& file) {
  JsonLines lines(in, file);
  if (!lines.next_line()) return false;
  const auto header = lines.parse();
  return header.contains("schema") && header["schema"] == schema;
}

}  // namespace

RoleTrace read_role_trace(std::istream& in, const std::string& file) { return Reader(in, file).run(); }

void write_role_trace(const RoleTrace& trace, std::ostream& out) { Writer(trace, out).run(); }

void write_role_trace(const RoleTrace& trace, const std::string& file) {
  std::ostringstream text;
  write_role_trace(trace, text);
  write_file_or_output(file, text.view());
}

AnyTrace read_any_trace(const std::string& file) {
  std::istringstream in(whole_text(file, file));
  const bool is_of_roles = has_roles(in, file);
  in.clear();
  in.seekg(0);
  if (is_of_roles) return read_role_trace(in, file);
  return read_trace(in, file);
}

}  // namespace ringmark::replay
