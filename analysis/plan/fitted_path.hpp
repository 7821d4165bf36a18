// The cost of a path according to a fit.
#pragma once

#include <optional>
#include <string>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

enum class PathKind { within_node, between_nodes };

/// For NCCL, the fitted link of that kind if the fit has links. Otherwise the cost of an out-of-place all_reduce by a
/// ring or a tree at its largest messages, which are those that training sends. An empty network matches any.
/// `alpha_us`, if given, replaces the fit's. Throws BadUsage if the fit has none or several, or does not determine
/// alpha.
PathCost fitted_path(const Fit& fit, PathKind kind, Transport transport, const std::string& network,
                     std::optional<double> alpha_us = {});

}  // namespace ringmark::analysis
