// Measured times of computations by name, for example from a profile of a framework's own step.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds by phase (fwd, recomp, bwd, step) and by an event's tag, which is a module's name or a framework's own
/// work ("adam", "bucket"). A name ending in * matches every tag with that prefix; the longest match counts.
class MeasuredTable {
 public:
  /// Reads YAML. Throws BadUsage.
  explicit MeasuredTable(const std::string& file);

  /// Empty if the table has no entry. Recomputation takes the time of the forward pass unless it has its own entry.
  std::optional<double> time_us(const Event& event) const;
  /// Throws BadUsage for a name that matches no event of the trace.
  void require_used(const StepTrace& trace) const;
  const std::string& file() const { return file_; }

 private:
  using Entry = std::map<std::string, double>::const_iterator;
  std::optional<Entry> entry_for(Phase phase, const std::string& tag) const;

  std::string file_;
  std::array<std::map<std::string, double>, 4> phases_;  ///< by Phase
};

}  // namespace ringmark::replay
