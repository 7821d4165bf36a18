// The three steps of the method, based on predictions alone, for machines that are not available.
#pragma once

#include "sweeps/training/tuned_run.hpp"

namespace ringmark::sweep {

/// Adopts only changes whose gain exceeds the errors of predictions, and lists the others for launches to decide.
/// Throws BadUsage if the run's file gives no network.
TunedRun predicted_chain(const TrainingRun& run, StepSpace& space);

/// The facts about a run that both chains begin with.
TunedRun begin_tuned_run(const StepSpace& space);

}  // namespace ringmark::sweep
