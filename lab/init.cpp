#include "lab/init.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/surrounding_lab.hpp"
#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/files.hpp"
#include "base/text/error_text.hpp"
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
  // The supervisor may already have died; getppid() does not work across pid namespaces.
  pollfd pipe{control, 0, 0};
  if (::poll(&pipe, 1, 0) == 1) std::_Exit(exit_signal_offset + SIGKILL);
}

void build_lab(InitArguments& lab) {
  make_private_mounts();
  auto& network = lab.network;
  for (Switch& each : network.switches) each.holder = start_switch_holder(each.name, network.is_fabric());
  const std::string names = ::access("/etc/hosts", F_OK) == 0 ? read_file("/etc/hosts") : "";
  cover_file("/etc/hosts", names_file(names, network.hosts));
  // No name server is reachable, and a fabric's routes swallow queries; without a name server they fail at once.
  if (constexpr auto servers = "/etc/resolv.conf"; ::access(servers, F_OK) == 0)
    cover_file(servers, "nameserver 127.0.0.1\n");
  for (Host& host : network.hosts) host.holder = start_host_holder(host.name);
  lab.topology.build(network);
  publish(network);
  write_launch_files(network.hosts);
}

/// Runs in the child that becomes the command; returns only on failure.
int become_command(const InitArguments& lab) {
  const auto& command = lab.options.command;
  try {
    if (!lab.shares_terminal) check_sys(::setpgid(0, 0), "make a process group");
    enter_host(lab.network.hosts.front().holder);
    set_launch_environment(lab.network.hosts.front().nics, lab.options.verbose);
    check_sys(::setenv(lab_links_variable, stated_links(lab.network).c_str(), 1), "set {}", lab_links_variable);
    check_sys(::setenv(lab_fabric_variable, stated_fabric(lab.network).c_str(), 1), "set {}", lab_fabric_variable);
    lab.signals.restore_mask();
    ::execvp(command.front().c_str(), exec_arguments(command).data());
    throw_errno(fmt::format("start {}", command.front()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringmark-lab: {}\n", text_of(error));
  }
  return exit_cannot_start;
}

pid_t start_command(const InitArguments& lab) {
  const pid_t command = start_child("start the command", 0, [&] { return become_command(lab); });
  // The child does this too; here it ensures that the group exists before a signal is sent to it. It fails once the
  // command has started.
  if (!lab.shares_terminal) ::setpgid(command, command);
  return command;
}

}  // namespace

int run_init(InitArguments lab) try {
  die_with_supervisor(lab.control.get());
  build_lab(lab);
  StopRequest early{};
  pollfd waiting{lab.control.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) == 1 && ::read(lab.control.get(), &early, sizeof early) == sizeof early)
    return exit_signal_offset + early.signal;
  CommandWatch watch(lab, start_command(lab));
  return watch.wait();
} catch (const std::exception& error) {
  fmt::print(stderr, "ringmark-lab: {}\n", text_of(error));
  return exit_unusable;
}

}  // namespace ringmark::lab
