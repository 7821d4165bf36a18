// The dependencies of a trace's events by the rules of streams, channels and the host.
#pragma once

#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// An event starts when all events of `before` are complete: its dependencies, the previous event on its stream, the
/// last host synchronization, and for a collective the previous one of its channel. An asynchronous collective starts
/// in the order of its stream, but later events there do not wait for it.
struct StepGraph {
  std::vector<std::vector<int>> before;
};

StepGraph graph_of(const StepTrace& trace);

}  // namespace ringmark::replay
