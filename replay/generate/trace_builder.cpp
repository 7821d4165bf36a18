#include "replay/generate/trace_builder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::replay {

void TraceBuilder::at(Phase phase, int micro_step) {
  phase_ = phase;
  micro_step_ = micro_step;
}

int TraceBuilder::stream(const std::string& name) {
  const auto found = std::find(trace_.streams.begin(), trace_.streams.end(), name);
  if (found != trace_.streams.end()) return static_cast<int>(found - trace_.streams.begin());
  trace_.streams.push_back(name);
  last_on_stream_.push_back(-1);
  return static_cast<int>(trace_.streams.size()) - 1;
}

int TraceBuilder::group(const Group& group) {
  const auto found = std::find(trace_.groups.begin(), trace_.groups.end(), group);
  if (found != trace_.groups.end()) return static_cast<int>(found - trace_.groups.begin());
  const auto index = static_cast<int>(trace_.groups.size());
  trace_.groups.push_back(group);
  trace_.channels.push_back({group.name, index});
  return index;
}

void TraceBuilder::compute(double flops, double memory_bytes, const std::string& tag, std::vector<Operator> operators) {
  Event event;
  event.flops = flops;
  event.memory_bytes = memory_bytes;
  event.tag = tag;
  event.operators = std::move(operators);
  add(std::move(event));
}

void TraceBuilder::copy(int stream, double memory_bytes, const std::string& tag) {
  Event event;
  event.kind = EventKind::copy;
  event.stream = stream;
  event.memory_bytes = memory_bytes;
  event.tag = tag;
  add(std::move(event));
}

int TraceBuilder::collective(const Call& call) {
  Event event;
  event.kind = EventKind::collective;
  event.collective = call.collective;
  event.elements = call.elements;
  event.type = call.type;
  event.op = call.op;
  event.stream = call.stream;
  event.group = event.channel = call.group;
  event.is_async = call.is_async;
  event.root = call.root;
  event.after = call.after;
  event.tag = call.tag;
  return add(std::move(event));
}

void TraceBuilder::wait(int stream, std::vector<int> on) {
  std::erase_if(on, [&](int event) { return event < 0; });
  if (on.empty()) return;
  Event event;
  event.kind = EventKind::wait;
  event.stream = stream;
  event.after = std::move(on);
  add(std::move(event));
}

void TraceBuilder::host_sync(std::vector<int> on) {
  std::erase_if(on, [&](int event) { return event < 0; });
  if (on.empty()) return;
  Event event;
  event.kind = EventKind::host_sync;
  event.after = std::move(on);
  add(std::move(event));
}

int TraceBuilder::last(int stream) const { return last_on_stream_[static_cast<std::size_t>(stream)]; }

int TraceBuilder::add(Event event) {
  event.phase = phase_;
  event.micro_step = micro_step_;
  std::erase_if(event.after, [](int each) { return each < 0; });
  std::sort(event.after.begin(), event.after.end());
  event.after.erase(std::unique(event.after.begin(), event.after.end()), event.after.end());
  if (trace_.events.size() == most_events)
    throw BadUsage(
        fmt::format("the step has more than {} events by micro-step {} of {}: give a smaller --grad-accum; all "
                    "micro-steps except the last are identical",
                    most_events, micro_step_, trace_.micro_steps));
  const auto index = static_cast<int>(trace_.events.size());
  if (event.kind != EventKind::host_sync) last_on_stream_[static_cast<std::size_t>(event.stream)] = index;
  trace_.events.push_back(std::move(event));
  return index;
}

}  // namespace ringmark::replay
