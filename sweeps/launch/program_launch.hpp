// Launches a program whose ranks write a table, for sweeps and acceptance alike.
#pragma once

#include <string>
#include <vector>

#include "base/system/deadline.hpp"
#include "base/system/signal_queue.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/process_group.hpp"

namespace ringmark::sweep {

/// The program's words for a launch that writes `table`, and next to it why its ranks ended. Removes what an earlier
/// launch left there. `choices` is the file that keeps those of `--algorithm auto` for later launches.
std::vector<std::string> words_of_launch(const Resolved& resolved, const std::string& table,
                                         const std::string& choices);

/// Runs these words as run_command() does, and ends them too if ranks have ended that named a lost rank, and `patience`
/// has passed since then. `run.table` and `run.log` have names.
Ending run_program(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& words, CommandRun run,
                   Clock::duration patience, const SignalQueue& signals);

}  // namespace ringmark::sweep
