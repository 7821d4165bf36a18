// Whether changes are steps or parts of one slow drift.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "history/questions/nights.hpp"
#include "history/questions/robust_fit.hpp"

namespace ringmark::history {

/// The level is flat before night `begin`, moves evenly in time until night `end`, and is flat after it.
struct Ramp {
  std::size_t begin, end;
  RobustFit fit;
};

/// The ramp that explains the nights better than steps at `steps`, by the Bayesian information criterion; empty if
/// there is none. It is at least ten nights long. All indices are into `nights`.
std::optional<Ramp> ramp_instead_of(std::span<const Night> nights, std::span<const std::size_t> steps, double noise);

}  // namespace ringmark::history
