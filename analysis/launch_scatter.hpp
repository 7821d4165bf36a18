// What differs from launch to launch (placement, neighbours, clocks) moves all times of a launch alike, so residuals
// within launches do not show it. Intervals that hold the truth as often as they say come from leaving launches out.
#pragma once

#include "analysis/segments.hpp"

namespace ringmark::analysis {

/// Replaces the intervals of a line through `some` by those of the jackknife over launches (Efron and Tibshirani, "An
/// introduction to the bootstrap", 11), where there are three of them; where there are two, if they are shown to
/// differ. Of a single launch they stay: then nothing tells how another would be.
void hold_launches(const Observations& some, Line& line);

}  // namespace ringmark::analysis
