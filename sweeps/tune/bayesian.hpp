// Bayesian optimisation: a Gaussian process of the logarithm of the score, and expected improvement (Jones, Schonlau
// and Welch, "Efficient global optimization of expensive black-box functions", 1998).
#pragma once

#include <memory>

#include "sweeps/tune/strategy.hpp"

namespace ringmark::sweep {

std::unique_ptr<Strategy> make_bayesian(const Space& space, std::uint64_t seed, int budget);

}  // namespace ringmark::sweep
