// The candidates of a step of the method that are worth a launch: they fit into memory, and no prediction excludes
// them.
#pragma once

#include <cstddef>
#include <vector>

#include "sweeps/training/forecast.hpp"
#include "sweeps/training/tuned_run.hpp"

namespace ringmark::sweep {

struct Shortlist {
  /// The step that they change comes first if it fits, then the fastest by prediction.
  std::vector<Candidate> all;
  PartResult part;                 ///< its counts
  std::vector<Candidate> fitting;  ///< all that fit, the fastest first
};

/// Bytes of the device's memory; 0 if it is unknown.
double device_bytes_of(const replay::PredictOptions& options);
bool fits(const Candidate& candidate, double device_bytes);

/// At most `most` candidates. `others` are steps that the part's changes may make faster than `base` with its changes,
/// for example strategies that only lack the framework's overlap.
Shortlist shortlist(Part part, StepSpace& space, Forecast& forecast, const Candidate& base, std::size_t most,
                    const std::vector<Candidate>& others = {});

}  // namespace ringmark::sweep
