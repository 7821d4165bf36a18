// Finds the group of ranks of each recorded communicator, in a step trace's terms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// For each communicator of the first rank's recording: all ranks, neighbours, or every n-th rank. The other ranks'
/// recordings must agree. If the recordings fit both neighbours and every n-th, neighbours are assumed and `notes` say
/// so. Nothing for a communicator that is unknown or fits neither.
std::vector<std::optional<Group>> groups_of(const std::vector<Imported>& recordings, int ranks,
                                            std::vector<std::string>& notes);

}  // namespace ringmark::replay
