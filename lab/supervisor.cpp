#include "lab/supervisor.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/signal_queue.hpp"
#include "lab/errors.hpp"
#include "lab/init.hpp"
#include "lab/isolation.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

/// A shell in the lab may have given the terminal to a process group that no longer exists.
class TerminalKeeper {
 public:
  TerminalKeeper() : is_ours_(::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) {}
  ~TerminalKeeper() {
    if (!is_ours_ || ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) return;
    ::signal(SIGTTOU, SIG_IGN);  // tcsetpgrp() raises it in a background process
    ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  }
  TerminalKeeper(const TerminalKeeper&) = delete;
  TerminalKeeper& operator=(const TerminalKeeper&) = delete;

 private:
  bool is_ours_;
};

/// The first signal lets the lab end within its grace period; the second kills it.
int wait_for_lab(pid_t init, const SignalQueue& signals, int control, bool shares_terminal) {
  int stopped_by = 0;
  for (;;) {
    pollfd waiting{signals.fd(), POLLIN, 0};
    check_sys(retry_interrupted([&] { return ::poll(&waiting, 1, -1); }), "wait for signals");
    while (const auto signal = signals.next()) {
      if (signal->number == SIGCHLD) {
        int status = 0;
        if (check_sys(::waitpid(init, &status, WNOHANG), "wait for the lab") != init) continue;
        if (WIFSIGNALED(status) && stopped_by == 0)
          fmt::print(stderr, "ringmark-lab: the lab was killed from outside\n");
        return stopped_by != 0 ? exit_signal_offset + stopped_by : shell_status(status);
      }
      if (stopped_by != 0) {
        ::kill(init, SIGKILL);
        continue;
      }
      stopped_by = signal->number;
      const StopRequest request{signal->number, shares_terminal && signal->from_terminal};
      // If the lab has just ended, the request is not read, and SIGCHLD follows.
      (void)::send(control, &request, sizeof request, MSG_NOSIGNAL);
    }
  }
}

}  // namespace

int supervise(const LabOptions& options) {
  if (!find_program(options.command.front()))
    throw BadUsage(fmt::format("command \"{}\" was not found, or is not executable", options.command.front()));
  const auto network = plan_network(options);
  Topology topology(network, options.faults, options.verbose);

  int ends[2];
  check_sys(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "create a socket pair");
  FileDescriptor supervisors_end(ends[0]);
  FileDescriptor labs_end(ends[1]);
  const SignalQueue signals;
  const TerminalKeeper terminal;
  // To read from the terminal, the command must be in the foreground process group, which is ours.
  const bool shares_terminal = ::isatty(STDIN_FILENO) != 0;

  const pid_t init = fork_init();
  if (init == 0) {
    supervisors_end.reset();
    std::_Exit(run_init({options, network, topology, signals, std::move(labs_end), shares_terminal}));
  }
  labs_end.reset();
  return wait_for_lab(init, signals, supervisors_end.get(), shares_terminal);
}

}  // namespace ringmark::lab
