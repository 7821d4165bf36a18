#include "base/system/signal_queue.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

bool is_blocked(int signal) {
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  return ::sigismember(&mask, signal) == 1;
}

TEST(SignalQueue, keeps_signals_until_they_are_asked_for) {
  const SignalQueue signals;
  EXPECT_FALSE(signals.next());
  ::raise(SIGTERM);
  const auto signal = signals.next();
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->number, SIGTERM);
  EXPECT_FALSE(signal->from_terminal);
}

TEST(SignalQueue, leaves_the_mask_as_it_found_it) {
  const bool before = is_blocked(SIGCHLD);
  {
    const SignalQueue signals;
    EXPECT_TRUE(is_blocked(SIGCHLD));
    EXPECT_TRUE(is_blocked(SIGTERM));
  }
  EXPECT_EQ(is_blocked(SIGCHLD), before);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace ringmark
