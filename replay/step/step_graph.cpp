#include "replay/step/step_graph.hpp"

#include <algorithm>

namespace ringmark::replay {

StepGraph graph_of(const StepTrace& trace) {
  StepGraph graph;
  graph.before.reserve(trace.events.size());
  std::vector<int> on_stream(trace.streams.size(), -1), on_channel(trace.channels.size(), -1);
  int host = -1;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    auto before = event.after;
    auto& stream = on_stream[static_cast<std::size_t>(event.stream)];
    if (event.kind != EventKind::host_sync) before.push_back(stream);
    before.push_back(host);
    const auto index = static_cast<int>(i);
    if (is_call(event)) {
      auto& channel = on_channel[static_cast<std::size_t>(event.channel)];
      before.push_back(channel);
      channel = index;
    }
    if (event.kind == EventKind::host_sync) {
      host = index;
    } else if (!(is_call(event) && event.is_async)) {
      stream = index;
    }
    std::erase(before, -1);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    graph.before.push_back(std::move(before));
  }
  return graph;
}

}  // namespace ringmark::replay
