#include "transports/bootstrap/waiting_note.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(WaitingNote, names_a_few_ranks_and_counts_all) {
  EXPECT_EQ(in_words({{1, "node2"}}, 8), "rank 1 on node2");
  EXPECT_EQ(in_words({{1}}, 8), "rank 1") << "its host is unknown before it comes";
  EXPECT_EQ(in_words({{1, "a"}, {4, "b"}}, 8), "2 of 8 ranks: 1 on a, 4 on b");
  EXPECT_EQ(in_words({{1}, {2}, {3}, {4}, {5}}, 8), "5 of 8 ranks: 1, 2, 3, …");
}

int lines_within(WaitingNote& note, int looks) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < looks; ++i) note.say_if_due([] { return "rank 7"; });
  const auto text = testing::internal::GetCapturedStderr();
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(WaitingNote, is_printed_once_for_each_pause) {
  constexpr std::chrono::hours long_pause{1};
  WaitingNote quiet(long_pause);
  EXPECT_EQ(lines_within(quiet, 3), 0);
  constexpr std::chrono::milliseconds pause{50};
  WaitingNote note(pause);
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(pause);
    EXPECT_GE(lines_within(note, 1), 1);
  }
}

}  // namespace
}  // namespace ringmark
