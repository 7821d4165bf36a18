// The groups of ranks in Megatron's order of dimensions: tp, cp, ep, dp, pp, or with dp last.
#pragma once

#include "replay/generate/grid.hpp"
#include "replay/generate/megatron/settings.hpp"

namespace ringmark::replay::megatron {

Grid make_grid(const Settings& settings);

}  // namespace ringmark::replay::megatron
