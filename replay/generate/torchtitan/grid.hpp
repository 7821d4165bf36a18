// The groups of ranks in torchtitan's meshes: tp, cp, dp_shard, dp_replicate, pp; experts span tp, cp and dp_shard.
#pragma once

#include "replay/generate/grid.hpp"
#include "replay/generate/torchtitan/settings.hpp"

namespace ringmark::replay::torchtitan {

Grid make_grid(const Settings& settings);

}  // namespace ringmark::replay::torchtitan
