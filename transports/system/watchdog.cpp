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
  what_.store(what, std::memory_order_relaxed);
  exit_status_.store(exit_status, std::memory_order_relaxed);
  deadline_ns_.store(deadline.when().time_since_epoch().count(), std::memory_order_release);
  return Guard(*this);
}

void Watchdog::look() {
  while (!ends_) {
    if (Clock::now().time_since_epoch().count() >= deadline_ns_.load(std::memory_order_acquire)) {
      fmt::print(stderr, "ringmark: {}: {} did not end within the time-out; leaving\n", who_, what_.load());
      std::fflush(nullptr);
      std::_Exit(exit_status_);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace ringmark
