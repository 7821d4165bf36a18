// Watches the command from start to end: reaping, faults, timeout, and the grace period after a signal.
#pragma once

#include <cstddef>
#include <optional>

#include <sys/types.h>

#include "base/system/deadline.hpp"
#include "lab/init.hpp"

namespace ringmark::lab {

class CommandWatch {
 public:
  /// Call right after the command starts.
  CommandWatch(const InitArguments& lab, pid_t command);

  /// Returns the exit status when the command has ended or its grace period is over. Remaining processes of the pid
  /// namespace die with the caller, which is its init.
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
  std::optional<Deadline> grace_;   // set once the command has been asked to end
  std::optional<int> exit_status_;  // overrides the command's
};

}  // namespace ringmark::lab
