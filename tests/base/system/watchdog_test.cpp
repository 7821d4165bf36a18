#include "base/system/watchdog.hpp"

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
      testing::ExitedWithCode(3), "rank 7: a call did not finish before the timeout");
}

TEST(WatchdogDeathTest, goes_by_the_inner_guard_while_it_lives_and_by_the_outer_one_afterwards) {
  EXPECT_EXIT(
      {
        Watchdog watchdog("rank 7");
        const auto outer = watchdog.guard("a long call", Deadline::after(milliseconds(300)), 3);
        { const auto inner = watchdog.guard("a short call", Deadline::after(std::chrono::seconds(60)), 4); }
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(3), "rank 7: a long call did not finish");
  EXPECT_EXIT(
      {
        Watchdog watchdog("rank 7");
        const auto outer = watchdog.guard("a long call", Deadline::after(std::chrono::seconds(60)), 3);
        const auto inner = watchdog.guard("a short call", Deadline::after(milliseconds(1)), 4);
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(4), "rank 7: a short call did not finish");
}

TEST(WatchdogDeathTest, lets_the_newest_last_words_be_said_before_it_leaves) {
  EXPECT_EXIT(
      {
        Watchdog watchdog("rank 7");
        const LastWords older([](const std::string&) { std::fputs("older", stderr); });
        {
          const LastWords gone([](const std::string&) { std::fputs("gone", stderr); });
        }
        const LastWords newest([](const std::string& why) {
          std::fprintf(stderr, "kept: %s.", why.c_str());
          throw std::runtime_error("a full disk");
        });
        const auto guard = watchdog.guard("a call", Deadline::after(milliseconds(1)), 3);
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(3), "exiting\nkept: rank 7: a call did not finish before the timeout\\.$");
}

TEST(Watchdog, lets_alone_what_ended_in_time_even_by_an_exception) {
  Watchdog watchdog("rank 7");
  try {
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores)
    const auto guard = watchdog.guard("a call", Deadline::after(milliseconds(150)), 3);
    throw std::runtime_error("failed");
  } catch (const std::runtime_error&) {
    std::this_thread::sleep_for(milliseconds(400));
  }
}

}  // namespace
}  // namespace ringmark
