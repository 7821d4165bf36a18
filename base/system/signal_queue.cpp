#include "base/system/signal_queue.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/system/check.hpp"

namespace ringmark {
namespace {

// An ignored signal would still be queued if it were blocked, which would defeat nohup.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalQueue::SignalQueue() {
  sigset_t taken;
  ::sigemptyset(&taken);
  ::sigaddset(&taken, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (!is_ignored(signal)) ::sigaddset(&taken, signal);
  check_sys(::sigprocmask(SIG_BLOCK, &taken, &callers_mask_), "block signals");
  queue_ = FileDescriptor(check_sys(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK), "create a signal queue"));
}

SignalQueue::~SignalQueue() { restore_mask(); }

std::optional<QueuedSignal> SignalQueue::next() const {
  signalfd_siginfo information{};
  if (::read(queue_.get(), &information, sizeof information) != sizeof information) return std::nullopt;
  return QueuedSignal{static_cast<int>(information.ssi_signo), information.ssi_code == SI_KERNEL};
}

void SignalQueue::restore_mask() const { ::sigprocmask(SIG_SETMASK, &callers_mask_, nullptr); }

}  // namespace ringmark
