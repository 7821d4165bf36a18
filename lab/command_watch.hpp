// Watches the command from its start to its end: reaping, faults, time-out, and the grace period after a signal.
#pragma once

#include <cstddef>
#include <optional>

#include <sys/types.h>

#include "base/system/deadline.hpp"
#include "lab/init.hpp"

namespace ringmark::lab {

class CommandWatch {
 public:
  /// Call it right after the command's start.
  CommandWatch(const InitArguments& lab, pid_t command);

  /// Returns the exit status when the command has ended or its grace is over. Remaining processes of the pid namespace
  /// die with the caller, which is its init.
  int wait();

 private:
  std::optional<int> reap();
  void read_stop_request();
  void make_due_faults();
  void stop(int signal, int exit_status, bool command_has_it);
  Clock::time_point next_event() const;

  const InitArguments& lab_;
  pid_t command_;
  Clock::time_point start_ = Clock::now();
  std::size_t faults_made_ = 0;
  std::optional<Deadline> timeout_;
  std::optional<Deadline> grace_;   // set once the command was asked to end
  std::optional<int> exit_status_;  // instead of the command's
};

}  // namespace ringmark::lab
