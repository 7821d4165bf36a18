// One command with everything it starts: its output in a file, ended as a whole.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/system/signal_queue.hpp"
#include "sweeps/command.hpp"

namespace ringmark::sweep {

struct CommandRun {
  std::chrono::milliseconds deadline;
  std::chrono::milliseconds grace;  ///< between TERM and KILL
  std::string log;                  ///< both output streams; replaced
  /// Every process that the command starts on this machine inherits it as RINGMARK_LAUNCH, and is known by it
  /// wherever it has gone: hydra gives each rank a session of its own.
  std::string mark;
};

struct Ending {
  int raw_status = 0;  ///< as waitpid gives it
  std::chrono::duration<double> time{};
  bool past_deadline = false;
  std::optional<int> interrupted_by;  ///< the signal that this process was told to end with
};

/// Runs a command to its end, its deadline, or a signal to this process. Nothing that it started on this machine is
/// left, but for what gave itself a session of its own and outlived a command that ended well; ranks elsewhere are
/// ended by their launcher, which gets TERM and time for it. If this process dies, the command gets TERM. Throws
/// std::system_error if it cannot be started.
Ending run_command(const Command& command, const CommandRun& run, const SignalQueue& signals);

/// Ends processes whose mark begins so; returns how many there were.
int kill_marked(const std::string& mark);

}  // namespace ringmark::sweep
