// Queues signals instead of letting them interrupt.
#pragma once

#include <csignal>
#include <optional>

#include "base/system/file_descriptor.hpp"

namespace ringmark {

struct QueuedSignal {
  int number;
  bool from_terminal;  // then the whole foreground process group received it
};

/// Takes over SIGCHLD and the terminating signals (SIGINT, SIGTERM, SIGHUP, SIGQUIT) that the caller does not ignore. A
/// forked child can use its parent's object, and then reads its own signals.
class SignalQueue {
 public:
  SignalQueue();
  /// Restores the caller's signal mask.
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const { return queue_.get(); }
  std::optional<QueuedSignal> next() const;

  /// Call in a child before exec.
  void restore_mask() const;

 private:
  sigset_t callers_mask_{};
  FileDescriptor queue_;
};

}  // namespace ringmark
