// What every program leaves with, and what the ranks of a run agree on.
#pragma once

namespace ringmark {

constexpr int exit_ok = 0;        ///< measured and correct
constexpr int exit_wrong = 1;     ///< wrong elements, or another path than asked for
constexpr int exit_usage = 2;     ///< bad usage; nothing was started
constexpr int exit_failed = 3;    ///< a failure at run time
constexpr int exit_unusable = 4;  ///< the transport cannot be used here, or can do nothing of what was asked

}  // namespace ringmark
