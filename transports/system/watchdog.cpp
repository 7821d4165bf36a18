#include "transports/system/watchdog.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace ringmark {

Watchdog::Watchdog(std::string who) : who_(std::move(who)) {
  // Signals are for the main thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { look(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  ends_ = true;
  thread_.join();
}

Watchdog::Guard Watchdog::guard(const char* what, Deadline deadline, int exit_status) {
  return {*this, what, deadline.when().time_since_epoch().count(), exit_status};
}

Watchdog::Guard::Guard(Watchdog& watchdog, const char* what, std::int64_t deadline_ns, int exit_status)
    : watchdog_(watchdog),
      what_before_(watchdog.what_),
      deadline_before_ns_(watchdog.deadline_ns_),
      exit_status_before_(watchdog.exit_status_) {
  arm(what, deadline_ns, exit_status);
}

Watchdog::Guard::~Guard() { arm(what_before_, deadline_before_ns_, exit_status_before_); }

void Watchdog::Guard::arm(const char* what, std::int64_t deadline_ns, int exit_status) {
  watchdog_.deadline_ns_ = never;  // no deadline with another's words
  watchdog_.what_ = what;
  watchdog_.exit_status_ = exit_status;
  watchdog_.deadline_ns_ = deadline_ns;
}

void Watchdog::look() {
  while (!ends_) {
    const auto deadline_ns = deadline_ns_.load();
    const auto* what = what_.load();
    const int exit_status = exit_status_;
    if (Clock::now().time_since_epoch().count() >= deadline_ns && deadline_ns_ == deadline_ns) {
      fmt::print(stderr, "ringmark: {}: {} did not end within the time-out; leaving\n", who_, what);
      std::fflush(nullptr);
      std::_Exit(exit_status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace ringmark
