// Bounds calls that take no deadline, such as blocking calls into another library.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/system/deadline.hpp"

namespace ringmark {

/// If a guard's deadline passes, prints the call that did not end and any stuck TCP connections, then exits the process
/// with the given status, without cleanup. A guard costs a few stores. A thread checks a few times per second.
class Watchdog {
 public:
  /// `waits_for`: who its calls wait for, such as "the other ranks"; a call that takes longer than a few seconds is
  /// then reported on standard error. If empty, nothing is reported before the deadline.
  explicit Watchdog(std::string who, std::string waits_for = "");
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Armed during its lifetime.
  class Guard {
   public:
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    friend Watchdog;
    Guard(Watchdog& watchdog, const char* what, std::int64_t deadline_ns, int exit_status);
    void arm(const char* what, std::int64_t deadline_ns, int exit_status);

    Watchdog& watchdog_;
    const char* what_before_;
    std::int64_t deadline_before_ns_;
    int exit_status_before_;
  };
  /// `what` must live forever, like a literal. Only one thread at a time may use guards; an inner guard replaces the
  /// outer one during its lifetime.
  [[nodiscard]] Guard guard(const char* what, Deadline deadline, int exit_status);

 private:
  static constexpr std::int64_t never = INT64_MAX, fired = INT64_MIN;
  void look();
  void tell_a_long_wait();

  std::string who_, waits_for_;
  std::atomic<std::int64_t> deadline_ns_{never}, armed_ns_{0};
  std::int64_t told_s_ = 0;  ///< length of the last reported wait
  std::atomic<const char*> what_{""};
  std::atomic<int> exit_status_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

/// During its lifetime, a watchdog that is about to end the process first calls `say` once, with the reason, to save
/// results. It runs on the watchdog's thread; the guarded thread is stuck, or blocked if its call returns after all.
class LastWords {
 public:
  using Say = std::function<void(const std::string& why)>;
  explicit LastWords(Say say);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  friend Watchdog;
  static void say_newest(const std::string& why);

  Say say_;
  LastWords* before_;
};

}  // namespace ringmark
