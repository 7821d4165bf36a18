// Runs a command with all processes that it starts: their output goes to a file, and they end together.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/system/signal_queue.hpp"
#include "sweeps/command.hpp"

namespace ringmark::sweep {

struct CommandRun {
  std::chrono::milliseconds deadline;
  std::chrono::milliseconds grace;  ///< between TERM and KILL
  std::string log;                  ///< both output streams; replaced
  /// Every process that the command starts on this machine inherits it as RINGMARK_LAUNCH, which identifies the process
  /// even in another session: hydra gives each rank its own.
  std::string mark;
};

struct Ending {
  int raw_status = 0;  ///< from waitpid
  std::chrono::duration<double> time{};
  bool past_deadline = false;
  std::optional<int> interrupted_by;  ///< the signal that asked this process to end
};

/// A signal asked this process to end; the launch that it cut short does not count.
class Interrupted final : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  /// As a shell tells it.
  int exit_status() const { return 128 + signal_; }

 private:
  int signal_;
};

/// Runs a command until it ends, its deadline passes, or this process gets a signal. Its processes on this machine are
/// then ended, except those in a session of their own that outlive a command that ended well. The launcher ends ranks
/// elsewhere: it gets TERM and time for that. If this process dies, the command gets TERM. Throws std::system_error if
/// the command cannot be started.
Ending run_command(const Command& command, const CommandRun& run, const SignalQueue& signals);

/// Kills processes whose mark begins with `mark`; returns their number.
int kill_marked(const std::string& mark);

}  // namespace ringmark::sweep
