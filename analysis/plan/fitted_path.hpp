// The cost of a path by a fit.
#pragma once

#include <optional>
#include <string>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

enum class PathKind { within_node, between_nodes };

/// Of NCCL the link of that kind, where the fit has links; else the cost of an all_reduce by a ring, or by NCCL's tree,
/// at its largest messages, which training sends; out of place where both are. An empty network matches any. Throws
/// BadUsage where the fit has none or several, or does not determine alpha.
/// `alpha_us`, if given, takes the place of the fit's.
PathCost fitted_path(const Fit& fit, PathKind kind, const std::string& transport, const std::string& network,
                     std::optional<double> alpha_us = {});

}  // namespace ringmark::analysis
