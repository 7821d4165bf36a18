#include "lab/command_watch.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "lab/duration.hpp"
#include "lab/errors.hpp"
#include "lab/supervisor.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

constexpr auto grace = std::chrono::seconds(5);

/// Rounded up, since poll must not return before the time.
int poll_milliseconds(Clock::time_point when) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(Deadline::at(when).left()).count());
}

}  // namespace

CommandWatch::CommandWatch(const InitArguments& lab, pid_t command) : lab_(lab), command_(command) {
  if (lab.options.timeout) timeout_ = Deadline::at(start_ + *lab.options.timeout);
}

int CommandWatch::wait() {
  for (;;) {
    pollfd waiting[]{{lab_.signals.fd(), POLLIN, 0}, {lab_.control.get(), POLLIN, 0}};
    check_sys(retry_interrupted([&] { return ::poll(waiting, 2, poll_milliseconds(next_event())); }),
              "wait for the command");
    // The supervisor handles the ending signals; here they only show that the process group received them.
    while (lab_.signals.next()) continue;
    if (const auto status = reap()) return exit_status_.value_or(*status);
    if (waiting[1].revents != 0) read_stop_request();
    make_due_faults();
    if (grace_ && grace_->passed()) {
      fmt::print(stderr, "ringmark-lab: the command has not ended within {} and is killed\n", grace);
      return *exit_status_;
    }
    if (!grace_ && timeout_ && timeout_->passed()) {
      fmt::print(stderr, "ringmark-lab: timeout: ending the command after {}\n", *lab_.options.timeout);
      stop(SIGTERM, exit_timeout, false);
    }
  }
}

std::optional<int> CommandWatch::reap() {
  std::optional<int> ended;
  int status = 0;
  for (pid_t child; (child = ::waitpid(-1, &status, WNOHANG)) > 0;)
    if (child == command_) ended = shell_status(status);
  return ended;
}

void CommandWatch::read_stop_request() {
  StopRequest request{};
  if (::read(lab_.control.get(), &request, sizeof request) != sizeof request) return;
  stop(request.signal, exit_signal_offset + request.signal, request.command_has_it);
}

void CommandWatch::make_due_faults() {
  const auto& faults = lab_.options.faults;
  for (; faults_made_ < faults.size() && Deadline::at(start_ + faults[faults_made_].after).passed(); ++faults_made_) {
    const Fault& fault = faults[faults_made_];
    lab_.topology.change(lab_.network, find_links(lab_.network, fault.part), fault.change);
    const auto* host = find_host(lab_.network.hosts, fault.part);
    const bool is_cut = host != nullptr && std::holds_alternative<LinkDown>(fault.change);
    fmt::print(stderr, "ringmark-lab: {}, {} after the command's start\n",
               is_cut ? fmt::format("cut the link of {} ({})", host->name, host->address())
                      : fmt::format("{}: {}", fault.part, to_string(fault.change)),
               to_string(fault.after));
  }
}

void CommandWatch::stop(int signal, int exit_status, bool command_has_it) {
  if (grace_) return;
  grace_ = Deadline::after(grace);
  exit_status_ = exit_status;
  // If the command has its own process group, the whole group gets the signal, as from a terminal.
  if (!command_has_it) ::kill(lab_.shares_terminal ? command_ : -command_, signal);
}

Clock::time_point CommandWatch::next_event() const {
  auto next = Clock::now() + std::chrono::hours(1);
  const auto& faults = lab_.options.faults;
  if (faults_made_ < faults.size()) next = std::min(next, start_ + faults[faults_made_].after);
  if (grace_) return std::min(next, grace_->when());
  return timeout_ ? std::min(next, timeout_->when()) : next;
}

}  // namespace ringmark::lab
