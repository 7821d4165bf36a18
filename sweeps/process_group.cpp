#include "sweeps/process_group.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/files.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto mark_name = "RINGMARK_LAUNCH";
constexpr int exit_cannot_start = 127;

struct Pipe {
  FileDescriptor read, write;
  Pipe() {
    int ends[2];
    check_sys(::pipe2(ends, O_CLOEXEC), "make a pipe");
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
};

[[noreturn]] void become(const Command& command, const CommandRun& run, const Pipe& input, int log, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(exit_cannot_start);
  ::dup2(input.read.get(), STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
  ::setenv(mark_name, run.mark.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const auto text = fmt::format("ringmark-sweep: cannot start {}: {}\n", command.words[0], std::strerror(errno));
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(exit_cannot_start);
}

/// Waits for the child until `until`; true once it has ended (it is not reaped). A signal to end is stored in
/// `interrupted_by`, and ends the wait if `can_be_cut_short`.
bool await(pid_t child, const Deadline& until, const SignalQueue& signals, std::optional<int>& interrupted_by,
           bool can_be_cut_short) {
  for (;;) {
    while (const auto signal = signals.next()) {
      if (signal->number != SIGCHLD) interrupted_by = signal->number;
    }
    siginfo_t ended{};
    check_sys(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), "wait");
    if (ended.si_pid == child) return true;
    if (until.passed() || (can_be_cut_short && interrupted_by)) return false;
    pollfd waiting{signals.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until.left(std::chrono::hours(1)));
    check_sys(retry_interrupted([&] { return ::poll(&waiting, 1, static_cast<int>(left.count())); }), "wait");
  }
}

}  // namespace

int kill_marked(const std::string& mark) {
  const auto wanted = fmt::format("{}={}", mark_name, mark);
  int killed = 0;
  // Several rounds, because a process may start another one during the search.
  for (int round = 0; round < 5; ++round) {
    int found = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const auto name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto pid = static_cast<pid_t>(std::stol(name));
      if (pid == ::getpid()) continue;
      const auto environment = read_if_readable((entry.path() / "environ").string());
      const auto at = environment.find(wanted);
      if (at == std::string::npos || (at > 0 && environment[at - 1] != '\0')) continue;
      found += ::kill(pid, SIGKILL) == 0;
    }
    killed += found;
    if (found == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return killed;
}

Ending run_command(const Command& command, const CommandRun& run, const SignalQueue& signals) {
  const Pipe input;  // stays open and empty: hydra fails a run whose input ends
  const FileDescriptor log(check_sys(::open(run.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666),
                                     "open {}", run.log));
  Ending ending;
  const auto start = Clock::now();
  const pid_t parent = ::getpid();
  const pid_t child = check_sys(::fork(), "start a process");
  if (child == 0) {
    signals.restore_mask();
    become(command, run, input, log.get(), parent);
  }
  ::setpgid(child, child);
  if (!await(child, Deadline::at(start + run.deadline), signals, ending.interrupted_by, true)) {
    ending.past_deadline = !ending.interrupted_by;
    ::kill(-child, SIGTERM);
    await(child, Deadline::after(run.grace), signals, ending.interrupted_by, false);
  }
  // Kill the group before reaping the child, while its number cannot be reused.
  ::kill(-child, SIGKILL);
  check_sys(retry_interrupted([&] { return ::waitpid(child, &ending.raw_status, 0); }), "wait for {}",
            command.words[0]);
  ending.time = Clock::now() - start;
  if (ending.raw_status != 0 || ending.past_deadline || ending.interrupted_by) kill_marked(run.mark);
  return ending;
}

}  // namespace ringmark::sweep
