// Runs a command with all processes that it starts: their output goes to a file, and they end together.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/system/signal_queue.hpp"
#include "sweeps/launch/command.hpp"

namespace ringmark::sweep {

/// Something else that may end a command.
struct Watch {
  int fd = -1;                       ///< readable when there is news
  std::function<bool()> must_end{};  ///< asked after news, and a few times a second
};

struct CommandRun {
  using Seconds = std::chrono::duration<double>;

  std::chrono::milliseconds deadline;  ///< of the measuring
  std::chrono::milliseconds grace;     ///< between TERM and KILL
  std::string log;                     ///< both output streams; replaced
  /// Every process that the command starts on this machine inherits it as RINGMARK_LAUNCH, which identifies the process
  /// even in another session: hydra gives each rank its own.
  std::string mark;
  Watch watch{};
  /// Measuring begins when this file is no longer empty; if it has no name, when the command starts.
  std::string table{};
  /// The deadline of the start-up before that; if empty, the same as `deadline`.
  std::optional<std::chrono::milliseconds> start_deadline{};
  /// The limit for start-up and measuring together.
  std::chrono::milliseconds most = std::chrono::hours(24 * 365);

  bool has_started(const std::optional<Seconds>& started_after) const { return table.empty() || started_after; }
  /// The deadline of the start-up or, once that is over, of the measuring.
  std::chrono::milliseconds deadline_of_part(const std::optional<Seconds>& started_after) const {
    return has_started(started_after) ? deadline : start_deadline.value_or(deadline);
  }
  /// The time from the command's start to its deadline.
  Seconds ends_after(const std::optional<Seconds>& started_after) const {
    return std::min<Seconds>(started_after.value_or(Seconds(0)) + deadline_of_part(started_after), most);
  }
};

struct Ending {
  int raw_status = 0;  ///< from waitpid
  std::chrono::duration<double> time{};
  bool past_deadline = false;
  bool ended_by_watch = false;
  std::optional<int> interrupted_by;  ///< the signal that asked this process to end
  std::optional<std::chrono::duration<double>>
      started_after{};  ///< time until the table's first line; empty if it never came
};

/// A signal asked this process to end; the launch that it cut short does not count.
class Interrupted final : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  /// As a shell reports it.
  int exit_status() const { return 128 + signal_; }

 private:
  int signal_;
};

/// Runs a command until it ends, its deadline passes, its watch ends it, or this process gets a signal. Then ends its
/// processes on this machine, except those in a session of their own that outlive a successful command. The launcher,
/// which must end the ranks on other machines, gets TERM and time for that. If this process dies, the command gets
/// TERM. Throws std::system_error if the command cannot be started.
Ending run_command(const Command& command, const CommandRun& run, const SignalQueue& signals);

/// Kills processes whose mark begins with `mark`; returns their number.
int kill_marked(const std::string& mark);

}  // namespace ringmark::sweep
