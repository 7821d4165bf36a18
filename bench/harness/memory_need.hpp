// Checks that the hosts have the memory that a run needs, before anything is allocated.
#pragma once

#include <cstddef>
#include <string_view>

#include "transports/bootstrap.hpp"

namespace ringmark {

/// Every rank calls it with the bytes that it will allocate. Throws BadUsage on all ranks if the ranks of a host need
/// more than is free there. The message begins with `what` and ends with `remedy`.
void require_memory(Bootstrap& bootstrap, double bytes, std::string_view what, std::string_view remedy);

}  // namespace ringmark
