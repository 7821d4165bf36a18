// Computations as they were measured, by name: what a profiler says of a framework's own step.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds by phase (fwd, recomp, bwd, step) and by an event's tag, which is a module's name, or what a framework
/// does
/// ("adam", "bucket"). A name that ends in * stands for all that begin so; the longest that fits counts.
class MeasuredTable {
 public:
  /// Reads YAML. Throws BadUsage.
  explicit MeasuredTable(const std::string& file);

  /// Nothing for what the table does not name. What is computed again takes what it took forward, if nothing else is
  /// said.
  std::optional<double> time_us(const Event& event) const;
  /// Throws BadUsage for a name that nothing of the trace has.
  void require_used(const StepTrace& trace) const;
  const std::string& file() const { return file_; }

 private:
  using Entry = std::map<std::string, double>::const_iterator;
  std::optional<Entry> entry_for(Phase phase, const std::string& tag) const;

  std::string file_;
  std::array<std::map<std::string, double>, 4> phases_;  ///< by Phase
};

}  // namespace ringmark::replay
