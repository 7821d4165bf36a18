// Tables of a step's times in the talks' form: computation and communication by micro-step.
#pragma once

#include <optional>
#include <string>

#include "replay/predict/simulate.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// A row for each micro-step and phase, in milliseconds. `whole` is the step's row: medians need not add up to it.
std::string step_table(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole);

/// A rank's step.
struct RankTimes {
  double total_us = 0;
  PartTimes parts;
  /// Delay after the median rank at the collectives of all ranks, summed; empty if there are no such collectives.
  std::optional<double> late_us;
};
/// A row for each rank, in milliseconds; with many ranks only for the slowest.
std::string rank_table(const std::vector<RankTimes>& ranks);

/// Samples per second of all ranks; empty if the trace does not state the batch.
std::optional<double> samples_per_second(const StepTrace& trace, int ranks, double step_us);

/// "1234 samples/s, 2.53e6 tokens/s"; empty if the trace does not state the batch.
std::string throughput(const StepTrace& trace, int ranks, double step_us);

std::string predicted_table(const StepTrace& trace, int ranks, const Simulation& simulation);

/// Minimum bytes that a rank sends in the step.
double step_wire_bytes(const StepTrace& trace, int ranks);

}  // namespace ringmark::replay
