#include <algorithm>
#include <array>
#include <fstream>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/option.hpp"
#include "replay/trace/json_lines.hpp"
#include "replay/trace/operator_reader.hpp"
#include "replay/trace/trace_file.hpp"
#include "replay/trace/trace_parameters.hpp"

namespace ringmark::replay {
namespace {

constexpr int most_micro_steps = 1'000'000;

class TraceReader : JsonLines {
 public:
  TraceReader(std::istream& in, const std::string& file) : JsonLines(in, file) {}

  StepTrace run() {
    if (!next_line()) refuse("the file is empty; expected the header of a steptrace/1");
    read_header(parse());
    while (next_line()) {
      if (is_blank()) continue;
      if (trace_.events.size() == most_events)
        refuse("more than {} events; a step has thousands: is this several steps in one file?", most_events);
      read_event(parse());
    }
    if (trace_.events.empty()) refuse("a header but no events: the file is cut off");
    if (told_events_ && *told_events_ != trace_.events.size())
      refuse("the header says {} events, and there are {}: the file is cut off", *told_events_, trace_.events.size());
    int micro_steps = 1;
    for (const auto& event : trace_.events) micro_steps = std::max(micro_steps, event.micro_step + 1);
    if (micro_steps < trace_.micro_steps)
      refuse("the header says {} micro-steps, but there are events of {} only: the file is cut off", trace_.micro_steps,
             micro_steps);
    trace_.micro_steps = micro_steps;
    return std::move(trace_);
  }

 private:
  void read_header(const Json& json) {
    if (text_or(json, "schema", "") != "steptrace/1")
      refuse("schema: expected \"steptrace/1\", found {}; other traces are turned into one by ringmark-replay import",
             json.contains("schema") ? json["schema"].dump() : "none");
    trace_.id = text_or(json, "id", "");
    trace_.model = text_or(json, "model", "");
    trace_.source = text_or(json, "source", "");
    trace_.model_elements = number_or(json, "P", std::uint64_t{0}, most_elements, std::uint64_t{0});
    const auto parameters = json.value("params", Json::object());
    if (!parameters.is_object()) refuse("params: expected an object, found {}", parameters.dump());
    trace_.ranks =
        number(parameters.contains("N") ? parameters : json, parameters.contains("N") ? "N" : "ranks", 1, most_ranks);
    trace_.micro_steps = number_or(parameters, "A", 1, most_micro_steps, 1);
    trace_.micro_batch = number_or(parameters, "b_gpu", std::uint64_t{0}, most_elements, std::uint64_t{0});
    trace_.sequence = number_or(parameters, "s", std::uint64_t{0}, most_elements, std::uint64_t{0});
    for (const auto& [key, value] : parameters.items()) {
      if (key == "N" || key == "A" || key == "b_gpu" || key == "s") continue;
      set_parameter(key, value.is_string() ? value.get<std::string>() : value.dump(), trace_);
    }
    if (json.contains("events")) told_events_ = number(json, "events", std::size_t{0}, most_events);
    read_memory(json);
    read_streams(json);
    read_groups(json);
    read_channels(json);
  }

  void read_memory(const Json& json) {
    const auto parts = json.value("memory", Json::array());
    if (!parts.is_array() || parts.size() > 64) refuse("memory: expected a list of at most 64 parts");
    for (const auto& part : parts) {
      const bool is_part = part.is_object() && part.size() == 3 && part.contains("what") && part.contains("bytes") &&
                           part.contains("grows") && part["grows"].is_boolean();
      if (!is_part)
        refuse("memory: expected {{\"what\": \"weights\", \"bytes\": 1e9, \"grows\": false}}, found {}", part.dump());
      trace_.memory.push_back({text(part, "what"), amount(part, "bytes"), part["grows"].get<bool>()});
    }
  }

  void read_streams(const Json& json) {
    if (!json.contains("streams")) return;
    trace_.streams.clear();
    if (!json["streams"].is_array() || json["streams"].empty() || json["streams"].size() > 64)
      refuse("streams: expected a list of 1 to 64 names");
    for (const auto& each : json["streams"]) {
      if (!each.is_string()) refuse("streams: expected names, found {}", each.dump());
      trace_.streams.push_back(each.get<std::string>());
    }
  }

  void read_groups(const Json& json) {
    if (!json.contains("groups")) return;
    trace_.groups.clear();
    if (!json["groups"].is_object() || json["groups"].empty() || json["groups"].size() > 64)
      refuse("groups: expected an object of 1 to 64 names, such as {{\"dp\":\"world\"}}");
    for (const auto& [key, value] : json["groups"].items()) {
      const auto words = value.is_string() ? value.get<std::string>() : value.dump();
      Group group{key, Group::Kind::world, 1};
      int width = 0;
      const auto is_a = [&](std::string_view kind) {
        return words.starts_with(kind) && words.ends_with(')') &&
               read_number(words.substr(kind.size(), words.size() - kind.size() - 1), 1, most_ranks, width);
      };
      if (is_a("block(")) {
        group.kind = Group::Kind::block;
      } else if (is_a("stride(")) {
        group.kind = Group::Kind::stride;
      } else if (words != "world") {
        refuse("groups: {}: expected world, block(n) or stride(n), found {}", key, words);
      }
      if (group.kind != Group::Kind::world) {
        if (trace_.ranks % width != 0) refuse("groups: {}: {} does not divide the {} ranks", key, words, trace_.ranks);
        group.width = width;
      }
      trace_.groups.push_back(group);
    }
  }

  void read_channels(const Json& json) {
    trace_.channels.clear();
    if (!json.contains("channels")) {
      for (std::size_t g = 0; g < trace_.groups.size(); ++g)
        trace_.channels.push_back({trace_.groups[g].name, static_cast<int>(g)});
      return;
    }
    if (!json["channels"].is_object() || json["channels"].empty() || json["channels"].size() > 64)
      refuse("channels: expected an object of 1 to 64 names and their groups");
    for (const auto& [key, value] : json["channels"].items()) {
      if (!value.is_string()) refuse("channels: {}: expected the name of a group, found {}", key, value.dump());
      trace_.channels.push_back({key, index_of(trace_.groups, value.get<std::string>(), "channels")});
    }
  }

  static const std::string& name_of(const std::string& stream) { return stream; }
  static const std::string& name_of(const Group& group) { return group.name; }
  static const std::string& name_of(const Channel& channel) { return channel.name; }
  template <class List>
  int index_of(const List& list, const std::string& name, const char* field) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (name_of(list[i]) == name) return static_cast<int>(i);
      names.push_back(name_of(list[i]));
    }
    refuse("{}: '{}' is not in the header, which has {}", field, name, fmt::join(names, ", "));
  }

  int index_of_id(const Json& id, const char* field) const {
    if (!id.is_number_integer()) refuse("{}: expected ids of events, found {}", field, id.dump());
    const auto found = index_.find(id.get<std::int64_t>());
    if (found == index_.end()) refuse("{}: there is no event {} before this one", field, id.dump());
    return found->second;
  }

  void read_dependencies(const Json& json, const char* field, Event& event) const {
    if (!json.contains(field)) return;
    const auto& list = json[field];
    if (!list.is_array()) refuse("{}: expected a list of ids, found {}", field, list.dump());
    for (const auto& id : list) event.after.push_back(index_of_id(id, field));
  }

  /// Ids must be consecutive, so that missing or misplaced lines are noticed.
  std::int64_t next_id(const Json& json) {
    const auto id = number(json, "i", std::int64_t{0}, std::int64_t{1} << 40);
    if (index_.contains(id)) refuse("i: {} comes twice", id);
    if (last_id_ && id != *last_id_ + 1)
      refuse("i: expected {} behind {}, found {}: events are missing or out of order", *last_id_ + 1, *last_id_, id);
    last_id_ = id;
    return id;
  }

  void read_event(const Json& json) {
    const auto kind = text(json, "k");
    if (kind == "mark") {
      if (json.contains("i")) next_id(json);
      return;
    }
    const auto id = next_id(json);
    Event event;
    event.micro_step = number_or(json, "m", 0, most_micro_steps, last_micro_step_);
    const auto phase_text = text_or(json, "ph", std::string(name(last_phase_)));
    const auto phase = parse_phase(phase_text == "reduce" ? "bwd" : phase_text);
    if (!phase) refuse("ph: expected fwd, recomp, bwd or step, found {}", phase_text);
    event.phase = *phase;
    event.stream = json.contains("s") ? index_of(trace_.streams, text(json, "s"), "s") : 0;
    event.tag = text_or(json, "tag", "");
    read_dependencies(json, "d", event);
    read_kind(kind, json, event);
    std::sort(event.after.begin(), event.after.end());
    event.after.erase(std::unique(event.after.begin(), event.after.end()), event.after.end());
    last_micro_step_ = event.micro_step;
    last_phase_ = event.phase;
    const auto index = static_cast<int>(trace_.events.size());
    index_.emplace(id, index);
    last_on_stream_.resize(trace_.streams.size(), -1);
    if (event.kind != EventKind::host_sync) last_on_stream_[static_cast<std::size_t>(event.stream)] = index;
    trace_.events.push_back(std::move(event));
  }

  void read_kind(const std::string& kind, const Json& json, Event& event) {
    if (kind == "comp" || kind == "copy") {
      event.kind = kind == "comp" ? EventKind::compute : EventKind::copy;
      if (json.contains("us")) event.time_us = amount(json, "us");
      if (json.contains("fl")) event.flops = amount(json, "fl");
      if (json.contains("by")) event.memory_bytes = amount(json, "by");
      if (json.contains("ops")) read_operators(json["ops"], event);
      if (!json.contains("us") && !json.contains("fl") && !json.contains("by"))
        refuse("us, fl or by: missing; a {} needs a time, or the work to compute it from", kind);
    } else if (kind == "coll") {
      read_collective(json, event);
    } else if (kind == "wait") {
      event.kind = EventKind::wait;
      read_dependencies(json, "on", event);
      if (json.contains("stream")) {
        last_on_stream_.resize(trace_.streams.size(), -1);
        const int last =
            last_on_stream_[static_cast<std::size_t>(index_of(trace_.streams, text(json, "stream"), "stream"))];
        if (last >= 0) event.after.push_back(last);
      }
    } else if (kind == "hostsync") {
      event.kind = EventKind::host_sync;
    } else if (kind == "loop") {
      refuse("k: a loop; give the flat trace, with an event for each iteration");
    } else {
      refuse("k: expected comp, copy, coll, wait, hostsync or mark, found {}", kind);
    }
  }

  void read_operators(const Json& list, Event& event) const {
    constexpr std::size_t most_operators = 64;
    if (!list.is_array() || list.size() > most_operators) refuse("ops: expected a list of at most {}", most_operators);
    for (const auto& each : list) {
      const auto found = read_operator(each);
      if (!found)
        refuse(
            "ops: expected [\"product\", rows, columns, inner], [\"attention\", tokens, sequence, width, heads] with a "
            "window behind them or without, or [\"loss\", tokens, vocabulary], found {}",
            each.dump());
      event.operators.push_back(*found);
    }
  }

  void read_collective(const Json& json, Event& event) const {
    event.kind = EventKind::collective;
    const auto op = text(json, "op");
    const auto collective = parse_collective(op);
    if (!collective) {
      std::vector<std::string_view> known;
      for (const auto each : all_collectives()) known.push_back(name(each));
      refuse("op: '{}' is unknown; expected one of {}", op, fmt::join(known, ", "));
    }
    event.collective = *collective;
    event.elements = number(json, "n", std::uint64_t{1}, most_elements);
    const auto type_text = text(json, "dt");
    const auto type = parse_trace_datatype(type_text);
    if (!type) refuse("dt: '{}' is not a datatype", type_text);
    event.type = *type;
    event.group = json.contains("g") ? index_of(trace_.groups, text(json, "g"), "g") : 0;
    event.channel = json.contains("ch") ? index_of(trace_.channels, text(json, "ch"), "ch") : channel_of(event.group);
    if (trace_.channels[static_cast<std::size_t>(event.channel)].group != event.group)
      refuse("ch: {} is not a channel of the group {}", text(json, "ch"), trace_.group_of(event).name);
    if (json.contains("red") && json["red"] != "none") {
      const auto reduction = parse_reduce_op(text(json, "red"));
      if (!reduction) refuse("red: {} is not a reduction", json["red"].dump());
      event.op = *reduction;
    }
    if (json.contains("async")) {
      if (!json["async"].is_boolean()) refuse("async: expected true or false, found {}", json["async"].dump());
      event.is_async = json["async"].get<bool>();
    }
    const int size = trace_.group_of(event).size(trace_.ranks);
    if (json.contains("root") && !json["root"].is_null()) event.root = number(json, "root", 0, size - 1);
    if (json.contains("pattern")) {
      const auto pattern = parse_pattern(text(json, "pattern"));
      if (!pattern) refuse("pattern: {} is unknown; expected ring, pairs or neighbours", json["pattern"].dump());
      event.pattern = *pattern;
    }
    if (json.contains("counts")) read_counts(json["counts"], size, event);
    if (is_sharded(event.collective) && event.elements % static_cast<std::uint64_t>(size) != 0)
      refuse("n: {} elements of {} do not divide among {} ranks", event.elements, op, size);
  }

  void read_counts(const Json& json, int size, Event& event) const {
    const auto n = static_cast<std::size_t>(size);
    const bool is_list = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& each) {
                           return each.is_number_unsigned() && each.get<std::uint64_t>() <= most_elements;
                         });
    if (event.collective != Collective::all_to_all || !is_list || (json.size() != n && json.size() != n * n))
      refuse(
          "counts: expected {} numbers of elements that each rank of an all_to_all sends, or {} for each of {} ranks",
          n, n, n);
    event.counts = json.get<std::vector<std::uint64_t>>();
    event.counts_ranks = size;
  }

  int channel_of(int group) const {
    for (std::size_t i = 0; i < trace_.channels.size(); ++i) {
      if (trace_.channels[i].group == group) return static_cast<int>(i);
    }
    refuse("g: no channel in the header belongs to the group {}", trace_.groups[static_cast<std::size_t>(group)].name);
  }

  std::optional<std::size_t> told_events_;
  std::optional<std::int64_t> last_id_;
  StepTrace trace_;
  std::unordered_map<std::int64_t, int> index_;
  std::vector<int> last_on_stream_;
  int last_micro_step_ = 0;
  Phase last_phase_ = Phase::forward;
};

}  // namespace

StepTrace read_trace(std::istream& in, const std::string& file) { return TraceReader(in, file).run(); }

StepTrace read_trace(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw BadUsage(fmt::format("{}: cannot be read; make a trace with ringmark-replay generate", file));
  return read_trace(in, file);
}

}  // namespace ringmark::replay
