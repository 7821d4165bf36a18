// Signals that wait in a queue instead of interrupting.
#pragma once

#include <csignal>
#include <optional>

#include "base/system/file_descriptor.hpp"

namespace ringmark {

struct QueuedSignal {
  int number;
  bool from_terminal;  // then the whole foreground process group got it
};

/// Takes SIGCHLD, and the ending signals (SIGINT, SIGTERM, SIGHUP, SIGQUIT) that the caller does not ignore. A forked
/// child can use its parent's object and then reads its own signals.
class SignalQueue {
 public:
  SignalQueue();
  /// The caller's signals interrupt again.
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const { return queue_.get(); }
  std::optional<QueuedSignal> next() const;

  /// Call it in a child before exec.
  void restore_mask() const;

 private:
  sigset_t callers_mask_{};
  FileDescriptor queue_;
};

}  // namespace ringmark
