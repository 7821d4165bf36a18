// Differences between launches (placement, neighbours, clocks) move all times of a launch alike, so residuals within
// launches do not show them. Leaving launches out gives intervals that hold the truth as often as they say.
#pragma once

#include "analysis/fit/segments.hpp"

namespace ringmark::analysis {

/// Replaces the intervals of a line through `some` by those of the jackknife over launches (Efron and Tibshirani, "An
/// introduction to the bootstrap", 11), given three launches, or two that are shown to differ. The intervals of a
/// single launch stay: nothing tells how another launch would be.
void hold_launches(const Observations& some, Line& line);

}  // namespace ringmark::analysis
