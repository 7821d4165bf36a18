// Whether the hosts have the memory that a run needs, asked before anything is allocated.
#pragma once

#include <cstddef>
#include <string_view>

#include "transports/bootstrap.hpp"

namespace ringmark {

/// Every rank calls it with the bytes that it is going to allocate. Throws BadUsage, on all ranks alike, if the ranks
/// of a host need more than is free there. `what` begins the message and `remedy` ends it.
void require_memory(Bootstrap& bootstrap, double bytes, std::string_view what, std::string_view remedy);

}  // namespace ringmark
