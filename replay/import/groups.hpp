// Which of all ranks a recorded communicator joins, as a step trace can say it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// For each communicator of the first rank's recording: all ranks, neighbours, or every n-th. Each further rank's must
/// fit too; where one rank's place alone leaves both open, it is neighbours, and `notes` say so. Nothing for a
/// communicator that is neither, or that nothing is known of.
std::vector<std::optional<Group>> groups_of(const std::vector<Imported>& recordings, int ranks,
                                            std::vector<std::string>& notes);

}  // namespace ringmark::replay
