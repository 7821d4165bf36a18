#include "replay/step/timeline.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

Event event(EventKind kind, std::vector<int> after = {}) {
  Event result;
  result.kind = kind;
  result.after = std::move(after);
  result.is_async = is_call(result);
  return result;
}

TEST(StepTimes, tell_waits_for_messages_from_waits_for_collectives) {
  StepTrace trace;
  trace.events = {event(EventKind::collective), event(EventKind::receive), event(EventKind::compute),
                  event(EventKind::wait, {0, 1}), event(EventKind::compute)};
  // The collective ends at 30, the message at 50.
  const Timeline timeline{{0, 0, 0, 10, 50}, {30, 50, 10, 50, 60}, 60};
  const auto whole = times_of(trace, timeline).whole();
  EXPECT_DOUBLE_EQ(whole.computation_us, 10 + 10);
  EXPECT_DOUBLE_EQ(whole.exposed_us, 20);
  EXPECT_DOUBLE_EQ(whole.bubble_us, 20);
  EXPECT_DOUBLE_EQ(whole.hidden_us, 10) << "messages beside computation do not count";
}

TEST(StepTimes, have_no_exposed_collective_in_a_wait_for_a_message_alone) {
  StepTrace trace;
  trace.events = {event(EventKind::collective), event(EventKind::receive), event(EventKind::wait, {1})};
  const auto whole = times_of(trace, {{0, 0, 0}, {20, 30, 30}, 30}).whole();
  EXPECT_DOUBLE_EQ(whole.bubble_us, 30);
  EXPECT_DOUBLE_EQ(whole.exposed_us, 0);
}

TEST(StepTimes, count_a_message_that_blocks_as_bubble) {
  StepTrace trace;
  trace.events = {event(EventKind::compute), event(EventKind::receive)};
  trace.events[1].is_async = false;
  const auto times = times_of(trace, {{0, 10}, {10, 25}, 25});
  EXPECT_DOUBLE_EQ(times.whole().bubble_us, 15);
  EXPECT_DOUBLE_EQ(times.micro_steps.at(0).bubble_us, 15);
}

}  // namespace
}  // namespace ringmark::replay
