// A step's times as the talks show them: computation and communication, micro-step by micro-step.
#pragma once

#include <optional>
#include <string>

#include "replay/predict/simulate.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// Rows of micro-steps and of phases, in milliseconds. `whole` is of the step: medians need not add up to it.
std::string step_table(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole);

/// A rank's step.
struct RankTimes {
  double total_us = 0;
  PartTimes parts;
  /// How much later than the median rank it came to the collectives of all, summed; nothing if none is of all.
  std::optional<double> late_us;
};
/// A row for each rank, in milliseconds; of very many for the slowest.
std::string rank_table(const std::vector<RankTimes>& ranks);

/// Of all ranks; nothing if the trace does not tell the batch.
std::optional<double> samples_per_second(const StepTrace& trace, int ranks, double step_us);

/// "1234 samples/s, 2.53e6 tokens/s"; empty if the trace does not tell the batch.
std::string throughput(const StepTrace& trace, int ranks, double step_us);

std::string predicted_table(const StepTrace& trace, int ranks, const Simulation& simulation);

/// Bytes that a rank sends in the step at the least.
double step_wire_bytes(const StepTrace& trace, int ranks);

}  // namespace ringmark::replay
