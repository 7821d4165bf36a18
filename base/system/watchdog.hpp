// Bounds what cannot be given a deadline, such as a blocking call into another library.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/system/deadline.hpp"

namespace ringmark {

/// While guarding past its deadline, says what did not end and leaves the process with the status given; nothing of the
/// process is cleaned up. A guard costs a few stores. A thread looks a few times per second.
class Watchdog {
 public:
  explicit Watchdog(std::string who);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Armed for as long as it lives.
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
  /// `what` must live for ever: a literal. Of one thread at a time; an inner guard replaces the outer one while it
  /// lives.
  [[nodiscard]] Guard guard(const char* what, Deadline deadline, int exit_status);

 private:
  static constexpr std::int64_t never = INT64_MAX, fired = INT64_MIN;
  void look();

  std::string who_;
  std::atomic<std::int64_t> deadline_ns_{never};
  std::atomic<const char*> what_{""};
  std::atomic<int> exit_status_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

/// While it lives, a watchdog that ends the process calls it first, once, with the reason: for what must not be lost.
/// It runs on the watchdog's thread; the guarded one is stuck, or held when its call returns after all.
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
