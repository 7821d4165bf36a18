#include "lab/init.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/files.hpp"
#include "lab/command_watch.hpp"
#include "lab/errors.hpp"
#include "lab/holder.hpp"
#include "lab/inside.hpp"
#include "lab/isolation.hpp"
#include "lab/launch_environment.hpp"
#include "lab/supervisor.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

void die_with_supervisor(int control) {
  check_sys(::prctl(PR_SET_PDEATHSIG, SIGKILL), "ask to die with the supervisor");
  // The supervisor may have died before; getppid() does not work across pid namespaces.
  pollfd pipe{control, 0, 0};
  if (::poll(&pipe, 1, 0) == 1) std::_Exit(exit_signal_offset + SIGKILL);
}

pid_t build_lab(InitArguments& lab) {
  make_private_mounts();
  const pid_t bridge = start_switch_holder();
  const std::string names = ::access("/etc/hosts", F_OK) == 0 ? read_file("/etc/hosts") : "";
  cover_file("/etc/hosts", names_file(names, lab.hosts));
  for (Host& host : lab.hosts) host.holder = start_host_holder(host.name);
  lab.topology.build(lab.hosts, bridge);
  publish_hosts(lab.hosts);
  write_launch_files(lab.hosts);
  return bridge;
}

/// Runs in the child that becomes the command.
[[noreturn]] void become_command(const InitArguments& lab) {
  const auto& command = lab.options.command;
  try {
    if (!lab.shares_terminal) check_sys(::setpgid(0, 0), "make a process group");
    enter_host(lab.hosts.front().holder);
    set_launch_environment(lab.options.verbose);
    lab.signals.restore_mask();
    ::execvp(command.front().c_str(), exec_arguments(command).data());
    throw_errno(fmt::format("start {}", command.front()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringmark-lab: {}\n", error.what());
  }
  std::_Exit(exit_cannot_start);
}

pid_t start_command(const InitArguments& lab) {
  const pid_t command = check_sys(::fork(), "start the command");
  if (command == 0) become_command(lab);
  // The child does this too; here it makes sure that the group exists before a signal is sent to it. It fails once the
  // command has started.
  if (!lab.shares_terminal) ::setpgid(command, command);
  return command;
}

}  // namespace

int run_init(InitArguments lab) try {
  die_with_supervisor(lab.control.get());
  const pid_t bridge = build_lab(lab);
  StopRequest early{};
  pollfd waiting{lab.control.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) == 1 && ::read(lab.control.get(), &early, sizeof early) == sizeof early)
    return exit_signal_offset + early.signal;
  CommandWatch watch(lab, start_command(lab), bridge);
  return watch.wait();
} catch (const std::exception& error) {
  fmt::print(stderr, "ringmark-lab: {}\n", error.what());
  return exit_unusable;
}

}  // namespace ringmark::lab
