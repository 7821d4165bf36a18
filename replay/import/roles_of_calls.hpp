// A step with roles made of the calls that ranks recorded: ranks with the same calls share one role.
#pragma once

#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// `of_ranks` has each recording's rank, `names` its file. Exchanges must be joined (messages.hpp). Ranks that were not
/// recorded act like the others of their role. Throws BadUsage if recordings contradict each other, for example about a
/// message, or the ranks cannot be divided into roles.
RoleTrace roles_of_calls(const std::vector<std::string>& names, const std::vector<Imported>& all,
                         const std::vector<int>& of_ranks, int ranks, std::vector<std::string>& notes);

}  // namespace ringmark::replay
