// The exit statuses of all programs, on which the ranks of a run agree.
#pragma once

namespace ringmark {

constexpr int exit_ok = 0;         ///< measured and correct
constexpr int exit_wrong = 1;      ///< wrong elements, or the bytes took another path than requested
constexpr int exit_usage = 2;      ///< bad usage; nothing was started
constexpr int exit_failed = 3;     ///< a failure at run time
constexpr int exit_unusable = 4;   ///< the transport cannot be used here, or supports nothing that was requested
constexpr int exit_undecided = 5;  ///< a gate or a verdict that is undecided

}  // namespace ringmark
