// Differences between launches (placement, neighbours, clocks) move all times of a launch alike, so residuals within
// launches do not show them. Leaving out one launch at a time gives intervals that cover the true value as often as
// they claim.
#pragma once

#include "analysis/fit/segments.hpp"

namespace ringmark::analysis {

/// Replaces the intervals of a line through `some` by those of the jackknife over launches (Efron and Tibshirani, "An
/// introduction to the bootstrap", 11), given three launches, or two that differ significantly. Keeps the intervals of
/// a single launch: how another one would differ is unknown.
void hold_launches(const Observations& some, Line& line);

}  // namespace ringmark::analysis
