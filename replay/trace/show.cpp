#include "replay/trace/show.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_table.hpp"
#include "replay/trace/trace_parameters.hpp"

namespace ringmark::replay {
namespace {

struct Sum {
  std::uint64_t calls = 0, elements = 0, least = 0, most = 0;
  double wire_bytes = 0;

  void add(const Event& event, int group_ranks) {
    least = calls == 0 ? event.elements : std::min(least, event.elements);
    most = std::max(most, event.elements);
    ++calls;
    elements += event.elements;
    wire_bytes += replay::wire_bytes(event, group_ranks);
  }
};

int group_ranks(const StepTrace& trace, const Event& event) { return trace.group_of(event).size(trace.ranks); }

std::string sums(const StepTrace& trace) {
  std::map<std::tuple<Phase, Collective, DataType, int>, Sum> sums;
  Sum all;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    sums[{event.phase, event.collective, event.type, event.group}].add(event, group_ranks(trace, event));
    all.add(event, group_ranks(trace, event));
  }
  std::vector<std::vector<std::string>> lines{
      {"phase", "operation", "type", "group", ">calls", ">elements", ">smallest", ">largest", ">wire bytes per rank"}};
  for (const auto& [key, sum] : sums) {
    const auto& [phase, collective, type, group] = key;
    lines.push_back({std::string(name(phase)), std::string(name(collective)), std::string(name(type)),
                     trace.groups[static_cast<std::size_t>(group)].name, fmt::format("{}", sum.calls),
                     fmt::format("{}", sum.elements), fmt::format("{}", sum.least), fmt::format("{}", sum.most),
                     readable_bytes(sum.wire_bytes)});
  }
  lines.push_back({"all", "", "", "", fmt::format("{}", all.calls), "", "", "", readable_bytes(all.wire_bytes)});
  return print_table(std::move(lines));
}

std::string work_of(const Event& event) {
  if (event.time_us) return fmt::format("{} us", short_number(*event.time_us));
  constexpr double giga = 1e9;
  return event.flops > 0
             ? fmt::format("{} GFLOP, {}", short_number(event.flops / giga), readable_bytes(event.memory_bytes))
             : readable_bytes(event.memory_bytes);
}

std::string event_table(const StepTrace& trace) {
  std::vector<std::vector<std::string>> lines{
      {">event", ">micro", "phase", "stream", "what", ">elements", "type", "after", "of"}};
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    const bool is_collective = event.kind == EventKind::collective;
    std::string what;
    switch (event.kind) {
      case EventKind::compute:
        what = "compute, " + work_of(event);
        break;
      case EventKind::copy:
        what = "copy, " + work_of(event);
        break;
      case EventKind::send:
      case EventKind::receive:
        what = fmt::format("{} {:+}", event.kind == EventKind::send ? "send to" : "receive from", event.peer);
        break;
      case EventKind::wait:
        what = "wait";
        break;
      case EventKind::host_sync:
        what = "host waits";
        break;
      case EventKind::collective:
        what = fmt::format("{}{}{}", name(event.collective), event.is_async ? ", async" : "",
                           is_rooted(event.collective) ? fmt::format(" to {}", event.root) : "");
    }
    lines.push_back({fmt::format("{}", i), fmt::format("{}", event.micro_step), std::string(name(event.phase)),
                     trace.streams[static_cast<std::size_t>(event.stream)], what,
                     is_collective ? fmt::format("{}", event.elements) : "",
                     is_collective ? std::string(name(event.type)) : "", fmt::format("{}", fmt::join(event.after, " ")),
                     event.tag});
  }
  return print_table(std::move(lines));
}

}  // namespace

std::string readable_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double step = 1024;
  std::size_t unit = 0;
  for (; bytes >= step && unit + 1 < units.size(); ++unit) bytes /= step;
  return fmt::format("{} {}", short_number(bytes), units[unit]);
}

std::string show(const StepTrace& trace, bool events) {
  auto text = fmt::format("{}: {} ({} parameters), {}, {} ranks, {} micro-step{}\n", trace.id, trace.model,
                          trace.model_elements, trace.source, trace.ranks, trace.micro_steps,
                          trace.micro_steps == 1 ? "" : "s");
  for (const auto& [key, value] : all_parameters(trace)) text += fmt::format("  {} = {}\n", key, value);
  const bool has_samples = std::any_of(trace.memory.begin(), trace.memory.end(), [](const auto& p) { return p.grows; });
  if (!trace.memory.empty())
    text += fmt::format("memory per rank: {}{}\n", readable_bytes(total_bytes(trace.memory)),
                        has_samples ? "" : " without activations");
  text += fmt::format("{} events\n\n{}", trace.events.size(), sums(trace));
  if (events) text += "\n" + event_table(trace);
  return text;
}

}  // namespace ringmark::replay
