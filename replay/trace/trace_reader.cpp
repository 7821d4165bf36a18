#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/datatype.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/json_lines.hpp"
#include "replay/trace/trace_file.hpp"
#include "replay/trace/trace_header.hpp"
#include "replay/trace/work_json.hpp"

namespace ringmark::replay {
namespace {

class TraceReader {
 public:
  TraceReader(std::istream& in, const std::string& file) : lines_(in, file) {}

  StepTrace run() {
    if (!lines_.next_line()) lines_.refuse("the file is empty; expected the header of a steptrace/1");
    auto header = read_trace_header(lines_.parse(), lines_);
    trace_ = std::move(header.trace);
    while (lines_.next_line()) {
      if (lines_.is_blank()) continue;
      if (trace_.events.size() == most_events)
        lines_.refuse("more than {} events; a step has thousands: is this several steps in one file?", most_events);
      read_event(lines_.parse());
    }
    if (trace_.events.empty()) lines_.refuse("a header but no events: the file is cut off");
    if (header.events && *header.events != trace_.events.size())
      lines_.refuse("the header says {} events, but there are {}: the file is cut off", *header.events,
                    trace_.events.size());
    int micro_steps = 1;
    for (const auto& event : trace_.events) micro_steps = std::max(micro_steps, event.micro_step + 1);
    if (micro_steps < trace_.micro_steps)
      lines_.refuse("the header says {} micro-steps, but there are only events of {}: the file is cut off",
                    trace_.micro_steps, micro_steps);
    trace_.micro_steps = micro_steps;
    return std::move(trace_);
  }

 private:
  int index_of_id(const Json& id, const char* field) const {
    if (!id.is_number_integer()) lines_.refuse("{}: expected ids of events, found {}", field, id.dump());
    const auto found = index_.find(id.get<std::int64_t>());
    if (found == index_.end()) lines_.refuse("{}: there is no event {} before this one", field, id.dump());
    return found->second;
  }

  void read_dependencies(const Json& json, const char* field, Event& event) const {
    if (!json.contains(field)) return;
    const auto& list = json[field];
    if (!list.is_array()) lines_.refuse("{}: expected a list of ids, found {}", field, list.dump());
    for (const auto& id : list) event.after.push_back(index_of_id(id, field));
  }

  /// Ids must be consecutive, so that missing or misplaced lines are noticed.
  std::int64_t next_id(const Json& json) {
    const auto id = lines_.number(json, "i", std::int64_t{0}, std::int64_t{1} << 40);
    if (index_.contains(id)) lines_.refuse("i: {} appears twice", id);
    if (last_id_ && id != *last_id_ + 1)
      lines_.refuse("i: expected {} after {}, found {}: events are missing or out of order", *last_id_ + 1, *last_id_,
                    id);
    last_id_ = id;
    return id;
  }

  void read_event(const Json& json) {
    const auto kind = lines_.text(json, "k");
    if (kind == "mark") {
      if (json.contains("i")) next_id(json);
      return;
    }
    const auto id = next_id(json);
    Event event;
    event.micro_step = lines_.number_or(json, "m", 0, most_micro_steps, last_micro_step_);
    const auto phase_text = lines_.text_or(json, "ph", std::string(name(last_phase_)));
    const auto phase = parse_phase(phase_text == "reduce" ? "bwd" : phase_text);
    if (!phase) lines_.refuse("ph: expected fwd, recomp, bwd or step, found {}", phase_text);
    event.phase = *phase;
    event.stream = json.contains("s") ? index_of(trace_.streams, lines_.text(json, "s"), "s", lines_) : 0;
    event.tag = lines_.text_or(json, "tag", "");
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
      read_work(json, kind, lines_, event);
    } else if (kind == "coll") {
      read_collective(json, event);
    } else if (kind == "wait") {
      event.kind = EventKind::wait;
      read_dependencies(json, "on", event);
      if (json.contains("stream")) {
        last_on_stream_.resize(trace_.streams.size(), -1);
        const int last = last_on_stream_[static_cast<std::size_t>(
            index_of(trace_.streams, lines_.text(json, "stream"), "stream", lines_))];
        if (last >= 0) event.after.push_back(last);
      }
    } else if (kind == "hostsync") {
      event.kind = EventKind::host_sync;
    } else if (kind == "loop") {
      lines_.refuse("k: loops are not supported; give the flat trace, with an event for each iteration");
    } else {
      lines_.refuse("k: expected comp, copy, coll, wait, hostsync or mark, found {}", kind);
    }
  }

  void read_collective(const Json& json, Event& event) const {
    event.kind = EventKind::collective;
    const auto op = lines_.text(json, "op");
    const auto collective = parse_collective(op);
    if (!collective) {
      std::vector<std::string_view> known;
      for (const auto each : all_collectives()) known.push_back(name(each));
      lines_.refuse("op: '{}' is unknown; expected one of {}", op, fmt::join(known, ", "));
    }
    event.collective = *collective;
    event.elements = lines_.number(json, "n", std::uint64_t{1}, most_elements);
    const auto type_text = lines_.text(json, "dt");
    const auto type = parse_datatype(type_text);
    if (!type) lines_.refuse("dt: '{}' is not a datatype", type_text);
    event.type = *type;
    event.group = json.contains("g") ? index_of(trace_.groups, lines_.text(json, "g"), "g", lines_) : 0;
    event.channel = json.contains("ch") ? index_of(trace_.channels, lines_.text(json, "ch"), "ch", lines_)
                                        : channel_of(event.group);
    if (trace_.channels[static_cast<std::size_t>(event.channel)].group != event.group)
      lines_.refuse("ch: {} is not a channel of the group {}", lines_.text(json, "ch"), trace_.group_of(event).name);
    if (json.contains("red") && json["red"] != "none") {
      const auto reduction = parse_reduce_op(lines_.text(json, "red"));
      if (!reduction) lines_.refuse("red: {} is not a reduction", json["red"].dump());
      event.op = *reduction;
    }
    if (json.contains("async")) {
      if (!json["async"].is_boolean()) lines_.refuse("async: expected true or false, found {}", json["async"].dump());
      event.is_async = json["async"].get<bool>();
    }
    const int size = trace_.group_of(event).size(trace_.ranks);
    if (json.contains("root") && !json["root"].is_null()) event.root = lines_.number(json, "root", 0, size - 1);
    if (json.contains("pattern")) {
      const auto pattern = parse_pattern(lines_.text(json, "pattern"));
      if (!pattern) lines_.refuse("pattern: {} is unknown; expected ring, pairs or neighbours", json["pattern"].dump());
      event.pattern = *pattern;
    }
    if (json.contains("counts")) read_counts(json["counts"], size, lines_, event);
    if (is_sharded(event.collective) && event.elements % static_cast<std::uint64_t>(size) != 0)
      lines_.refuse("n: {} elements of {} do not divide evenly among {} ranks", event.elements, op, size);
  }

  int channel_of(int group) const {
    for (std::size_t i = 0; i < trace_.channels.size(); ++i) {
      if (trace_.channels[i].group == group) return static_cast<int>(i);
    }
    lines_.refuse("g: no channel in the header belongs to the group {}",
                  trace_.groups[static_cast<std::size_t>(group)].name);
  }

  JsonLines lines_;
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
  std::istringstream in(whole_text(file, file));
  return read_trace(in, file);
}

}  // namespace ringmark::replay
