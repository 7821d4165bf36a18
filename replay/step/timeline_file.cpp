#include "replay/step/timeline_file.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/write_file.hpp"

namespace ringmark::replay {
namespace {

using OrderedJson = nlohmann::ordered_json;

void add_line(std::string& text, const OrderedJson& json) {
  text += text.empty() ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : ",\n";
  text += json.dump();
}

OrderedJson name_of_thread(int rank, std::size_t thread, const std::string& name) {
  return {{"name", "thread_name"}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

void add_rank(std::string& text, const StepTrace& trace, int rank, const Timeline& timeline) {
  add_line(text,
           {{"name", "process_name"}, {"ph", "M"}, {"pid", rank}, {"args", {{"name", fmt::format("rank {}", rank)}}}});
  for (std::size_t s = 0; s < trace.streams.size(); ++s)
    add_line(text, name_of_thread(rank, s, "stream " + trace.streams[s]));
  std::set<int> used;
  for (const auto& event : trace.events) {
    if (is_call(event)) used.insert(event.channel);
  }
  for (const int each : used) {
    const auto c = static_cast<std::size_t>(each);
    add_line(text, name_of_thread(rank, trace.streams.size() + c, "network " + trace.channels[c].name));
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    const bool is_on_network = is_call(event);
    if (!is_on_network && timeline.end_us[i] <= timeline.begin_us[i]) continue;
    if (event.kind == EventKind::wait || event.kind == EventKind::host_sync) continue;
    const auto thread = is_on_network ? trace.streams.size() + static_cast<std::size_t>(event.channel)
                                      : static_cast<std::size_t>(event.stream);
    const auto what = is_on_network ? std::string(call_name(event)) : event.tag.empty() ? "compute" : event.tag;
    OrderedJson json{{"name", what}, {"cat", name(event.phase)}, {"ph", "X"}};
    json["ts"] = timeline.begin_us[i];
    json["dur"] = timeline.end_us[i] - timeline.begin_us[i];
    json["pid"] = rank;
    json["tid"] = thread;
    json["args"] = OrderedJson{{"event", i}, {"micro_step", event.micro_step}, {"phase", name(event.phase)}};
    if (is_on_network) {
      json["args"]["elements"] = event.elements;
      json["args"]["type"] = name(event.type);
      json["args"]["tag"] = event.tag;
    }
    add_line(text, json);
  }
}

}  // namespace

void TimelineFile::add(int rank, const StepTrace& trace, const Timeline& timeline) {
  if (is_chart())
    chart_.add(rank, trace, timeline);
  else
    add_rank(text_, trace, rank, timeline);
}

void TimelineFile::write() const { write_file(file_, is_chart() ? chart_.svg() : text_ + "\n]}\n"); }

}  // namespace ringmark::replay
