#include "sweeps/launch/process_group.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/child.hpp"
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

/// Runs in the child; returns only if the command cannot be started.
int become(const Command& command, const CommandRun& run, const Pipe& input, int log) {
  ::setpgid(0, 0);
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
  ::execvp(command.words[0].c_str(), exec_arguments(command.words).data());
  const auto text = fmt::format("ringmark-sweep: cannot start {}: {}\n", command.words[0], std::strerror(errno));
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  return exit_cannot_start;
}

/// The deadline of a command, which moves once the command has started to measure.
class Timer {
 public:
  /// `run` must outlive this object.
  Timer(const CommandRun& run, Clock::time_point start) : run_(&run), start_(start), until_(deadline(std::nullopt)) {}
  explicit Timer(Deadline until) : until_(until) {}

  const Deadline& look() {
    std::error_code error;
    if (is_starting() && std::filesystem::file_size(run_->table, error) > 0 && !error) {
      started_after_ = Clock::now() - start_;
      until_ = deadline(started_after_);
    }
    return until_;
  }
  /// True until the command has started to measure.
  bool is_starting() const { return run_ != nullptr && !run_->has_started(started_after_); }
  std::optional<std::chrono::duration<double>> started_after() const { return started_after_; }

 private:
  Deadline deadline(std::optional<std::chrono::duration<double>> started_after) const {
    return Deadline::at(start_ + std::chrono::duration_cast<Clock::duration>(run_->ends_after(started_after)));
  }

  const CommandRun* run_ = nullptr;
  Clock::time_point start_{};
  std::optional<std::chrono::duration<double>> started_after_;
  Deadline until_;
};

/// Waits for the child until the timer's deadline; true once it has ended (it is not reaped). A signal to end is stored
/// in `ending`, as is the watch's decision; both end the wait if `watch` is not null.
bool await(pid_t child, Timer& timer, const SignalQueue& signals, const Watch* watch, Ending& ending) {
  constexpr auto between_questions = std::chrono::milliseconds(200);
  const bool is_watched = watch != nullptr && watch->must_end;
  for (;;) {
    while (const auto signal = signals.next()) {
      if (signal->number != SIGCHLD) ending.interrupted_by = signal->number;
    }
    siginfo_t ended{};
    check_sys(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), "wait");
    if (ended.si_pid == child) return true;
    if (is_watched) ending.ended_by_watch = watch->must_end();
    const auto& until = timer.look();
    if (until.passed() || (watch != nullptr && (ending.interrupted_by || ending.ended_by_watch))) return false;
    pollfd waiting[]{{signals.fd(), POLLIN, 0}, {is_watched ? watch->fd : -1, POLLIN, 0}};
    const auto most =
        is_watched || timer.is_starting() ? between_questions : std::chrono::milliseconds(std::chrono::hours(1));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until.left(most));
    check_sys(retry_interrupted([&] { return ::poll(waiting, 2, static_cast<int>(left.count())); }), "wait");
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
  const pid_t child = start_child("start " + command.words[0], SIGTERM, [&] {
    signals.restore_mask();
    return become(command, run, input, log.get());
  });
  ::setpgid(child, child);
  Timer timer(run, start);
  if (!await(child, timer, signals, &run.watch, ending)) {
    ending.past_deadline = !ending.interrupted_by && !ending.ended_by_watch;
    ::kill(-child, SIGTERM);
    Timer grace(Deadline::after(run.grace));
    await(child, grace, signals, nullptr, ending);
  }
  ending.started_after = timer.started_after();
  // Kill the group before reaping the child, while its number cannot be reused.
  ::kill(-child, SIGKILL);
  check_sys(retry_interrupted([&] { return ::waitpid(child, &ending.raw_status, 0); }), "wait for {}",
            command.words[0]);
  ending.time = Clock::now() - start;
  if (ending.raw_status != 0 || ending.past_deadline || ending.ended_by_watch || ending.interrupted_by)
    kill_marked(run.mark);
  return ending;
}

}  // namespace ringmark::sweep
