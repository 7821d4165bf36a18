// What each event of a trace has to wait for: the rules of streams, channels and the host, for whoever executes it.
#pragma once

#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// An event starts when all of `before` are complete: what it depends on, what is before it on its stream, the last
/// host synchronization; a collective moreover when its channel's previous one is. An asynchronous collective starts in
/// the order of its stream but holds up nothing that follows there.
struct StepGraph {
  std::vector<std::vector<int>> before;
};

StepGraph graph_of(const StepTrace& trace);

}  // namespace ringmark::replay
