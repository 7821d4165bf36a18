// The cost of a path by a fit.
#pragma once

#include <string>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// The cost of a ring's all_reduce, out of place, at its largest messages, which training sends. An empty network
/// matches any.
/// Throws BadUsage where the fit has none, or several.
PathCost fitted_path(const Fit& fit, const std::string& transport, const std::string& network);

}  // namespace ringmark::analysis
