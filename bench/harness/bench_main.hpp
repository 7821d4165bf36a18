// A complete collective benchmark: each program's main calls it with its collective.
#pragma once

#include "base/operation.hpp"

namespace ringmark {

/// Returns the exit status: 0 measured and correct; 1 wrong elements, or traffic that bypassed the network; 2 bad
/// usage, nothing was started; 3 a failure at run time, rows so far are kept; 4 the transport cannot be used on this
/// machine.
int bench_main(Collective collective, int argc, const char* const* argv);

}  // namespace ringmark
