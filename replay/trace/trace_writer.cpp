#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/write_file.hpp"
#include "replay/trace/trace_file.hpp"
#include "replay/trace/trace_parameters.hpp"
#include "replay/trace/work_json.hpp"

namespace ringmark::replay {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string expression(const Group& group) {
  switch (group.kind) {
    case Group::Kind::world:
      return "world";
    case Group::Kind::block:
      return fmt::format("block({})", group.width);
    case Group::Kind::stride:
      return fmt::format("stride({})", group.width);
    case Group::Kind::list:
      break;  // of one rank's step, which is never written
  }
  return {};
}

/// Numbers and booleans as JSON values, everything else as text.
OrderedJson value_of(const std::string& text) {
  const auto parsed = OrderedJson::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : OrderedJson(text);
}

OrderedJson header_of(const StepTrace& trace) {
  OrderedJson json{{"schema", "steptrace/1"}, {"id", trace.id}, {"model", trace.model}, {"P", trace.model_elements}};
  json["source"] = trace.source;
  json["events"] = trace.events.size();
  auto& parameters = json["params"] = OrderedJson{{"N", trace.ranks}, {"A", trace.micro_steps}};
  if (trace.micro_batch > 0) parameters["b_gpu"] = trace.micro_batch;
  if (trace.sequence > 0) parameters["s"] = trace.sequence;
  for (const auto& [key, text] : all_parameters(trace)) parameters[key] = value_of(text);
  for (const auto& [what, bytes, grows] : trace.memory)
    json["memory"].push_back(OrderedJson{{"what", what}, {"bytes", bytes}, {"grows", grows}});
  for (const auto& group : trace.groups) json["groups"][group.name] = expression(group);
  json["streams"] = trace.streams;
  for (const auto& channel : trace.channels)
    json["channels"][channel.name] = trace.groups[static_cast<std::size_t>(channel.group)].name;
  return json;
}

void add_collective(const StepTrace& trace, const Event& event, OrderedJson& json) {
  json["op"] = name(event.collective);
  json["n"] = event.elements;
  json["dt"] = name(event.type);
  json["g"] = trace.group_of(event).name;
  json["ch"] = trace.channels[static_cast<std::size_t>(event.channel)].name;
  if (reduces(event.collective)) json["red"] = name(event.op);
  if (is_rooted(event.collective)) json["root"] = event.root;
  if (event.collective == Collective::send_recv) json["pattern"] = name(event.pattern);
  if (!event.counts.empty()) json["counts"] = event.counts;
  json["async"] = event.is_async;
}

}  // namespace

void write_trace(const StepTrace& trace, std::ostream& out) {
  out << header_of(trace).dump() << '\n';
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    OrderedJson json{{"i", i}, {"k", name(event.kind)}};
    json["s"] = trace.streams[static_cast<std::size_t>(event.stream)];
    if (!event.after.empty()) json["d"] = event.after;
    json["ph"] = name(event.phase);
    json["m"] = event.micro_step;
    if (computes(event)) add_work(event, json);
    if (event.kind == EventKind::collective) add_collective(trace, event, json);
    if (!event.tag.empty()) json["tag"] = event.tag;
    out << json.dump() << '\n';
  }
}

void write_trace(const StepTrace& trace, const std::string& file) {
  std::ostringstream text;
  write_trace(trace, text);
  write_file_or_output(file, text.view());
}

}  // namespace ringmark::replay
