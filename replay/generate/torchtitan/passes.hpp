// The order of a rank's passes, before messages.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "replay/generate/torchtitan/chunk.hpp"
#include "replay/generate/torchtitan/schedule.hpp"

namespace ringmark::replay::torchtitan {

std::vector<Turn> interleaved_passes(const Settings& settings, int rank);
std::vector<Turn> breadth_first_passes(const Settings& settings, int rank);
std::vector<Turn> zbv_passes(const Settings& settings, int rank);
std::vector<Turn> dual_pipe_passes(const Settings& settings, int rank);

}  // namespace ringmark::replay::torchtitan
