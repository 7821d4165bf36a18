// Timelines as files: for Perfetto and chrome://tracing (the Trace Event Format), or as a chart.
#pragma once

#include <string>
#include <utility>

#include "replay/step/step_chart.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

class TimelineFile {
 public:
  /// Writes the chart if the file's name ends in ".svg".
  explicit TimelineFile(std::string file) : file_(std::move(file)) {}

  /// Adds a process for the rank, and a thread for each of its streams and each channel that it uses. `trace` is its
  /// step.
  void add(int rank, const StepTrace& trace, const Timeline& timeline);
  void write() const;

 private:
  bool is_chart() const { return file_.ends_with(".svg"); }

  std::string file_, text_;
  StepChart chart_;
};

}  // namespace ringmark::replay
