#include "transports/system/watchdog.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

using std::chrono::milliseconds;

TEST(WatchdogDeathTest, leaves_with_the_status_and_says_what_did_not_end) {
  EXPECT_EXIT(
      {
        Watchdog watchdog("rank 7");
        const auto guard = watchdog.guard("a call", Deadline::after(milliseconds(1)), 3);
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(3), "rank 7: a call did not end within the time-out");
}

TEST(Watchdog, lets_alone_what_ended_in_time_even_by_an_exception) {
  Watchdog watchdog("rank 7");
  try {
    const auto guard = watchdog.guard("a call", Deadline::after(milliseconds(150)), 3);
    throw std::runtime_error("failed");
  } catch (const std::runtime_error&) {
    std::this_thread::sleep_for(milliseconds(400));
  }
}

}  // namespace
}  // namespace ringmark
