// Timelines for Perfetto and chrome://tracing: the Trace Event Format.
#pragma once

#include <string>

#include "replay/step/timeline.hpp"

namespace ringmark::replay {

class TimelineFile {
 public:
  /// A process for the rank, a thread for each of its streams and each channel that it uses. `trace` is its step.
  void add(int rank, const StepTrace& trace, const Timeline& timeline);
  void write(const std::string& file) const;

 private:
  std::string text_;
};

}  // namespace ringmark::replay
