// What a path costs by a fit.
#pragma once

#include <string>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// Of a ring's all_reduce, out of place: its largest messages are what training sends. An empty network stands for any.
/// Throws BadUsage where the fit has none, or several.
PathCost fitted_path(const Fit& fit, const std::string& transport, const std::string& network);

}  // namespace ringmark::analysis
