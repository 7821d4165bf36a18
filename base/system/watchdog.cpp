#include "base/system/watchdog.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/system/stalled_connections.hpp"

namespace ringmark {
namespace {

std::mutex last_words_mutex;
LastWords* last_words = nullptr;  ///< the newest

/// Exits even if the last words get stuck, since writing to their file may block.
constexpr unsigned seconds_for_last_words = 5;
volatile std::sig_atomic_t leaving_with = 0;
extern "C" void leave(int) { ::_exit(leaving_with); }

void leave_at_the_latest(int exit_status) {
  leaving_with = exit_status;
  std::signal(SIGALRM, leave);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  ::alarm(seconds_for_last_words);
}

}  // namespace

LastWords::LastWords(Say say) : say_(std::move(say)) {
  const std::lock_guard lock(last_words_mutex);
  before_ = std::exchange(last_words, this);
}

/// Waits while the last words are written; the process then ends.
LastWords::~LastWords() {
  const std::lock_guard lock(last_words_mutex);
  last_words = before_;
}

void LastWords::say_newest(const std::string& why) {
  const std::lock_guard lock(last_words_mutex);
  if (last_words == nullptr) return;
  try {
    std::exchange(last_words, nullptr)->say_(why);
  } catch (const std::exception&) {
    // Exiting matters more than the last words.
  }
}

Watchdog::Watchdog(std::string who, std::string waits_for) : who_(std::move(who)), waits_for_(std::move(waits_for)) {
  // Signals must go to the main thread.
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
  // Disarm before changing the other fields. A call that returns too late blocks here while the process exits.
  if (watchdog_.deadline_ns_.exchange(never) == fired) {
    for (;;) ::pause();
  }
  watchdog_.what_ = what;
  watchdog_.exit_status_ = exit_status;
  watchdog_.armed_ns_ = Clock::now().time_since_epoch().count();
  watchdog_.deadline_ns_ = deadline_ns;
}

void Watchdog::tell_a_long_wait() {
  constexpr std::int64_t pause_s = 5, ns_per_s = 1'000'000'000;
  if (waits_for_.empty() || deadline_ns_ == never) return;
  const auto waited_s = (Clock::now().time_since_epoch().count() - armed_ns_) / ns_per_s;
  if (waited_s < told_s_) told_s_ = 0;  // a different call
  if (waited_s < told_s_ + pause_s) return;
  told_s_ = waited_s;
  fmt::print(stderr, "ringmark: waiting for {} ({} s): {}\n", waits_for_, waited_s, what_.load());
}

void Watchdog::look() {
  while (!ends_) {
    auto deadline_ns = deadline_ns_.load();
    const auto* what = what_.load();
    const int exit_status = exit_status_;
    const bool is_over = Clock::now().time_since_epoch().count() >= deadline_ns;
    if (is_over && deadline_ns_.compare_exchange_strong(deadline_ns, fired)) {
      auto why = fmt::format("{}: {} did not finish before the timeout", who_, what);
      leave_at_the_latest(exit_status);
      if (const auto stalled = in_words(stalled_connections()); !stalled.empty()) why += "; " + stalled;
      if (const auto starter = stuck_starter()) why += "; " + in_words(*starter);
      fmt::print(stderr, "ringmark: {}; exiting\n", why);
      LastWords::say_newest(why);
      std::fflush(nullptr);
      // Other ranks may still be writing their last words, and a launcher ends all ranks when the first one exits.
      std::this_thread::sleep_for(std::chrono::seconds(1));
      std::_Exit(exit_status);
    }
    tell_a_long_wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace ringmark
