#include "replay/import/steps_end.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

Event message(EventKind kind, int peer) {
  Event event;
  event.kind = kind;
  event.peer = peer;
  event.elements = 1;
  event.is_async = true;
  return event;
}
Event send(int peer) { return message(EventKind::send, peer); }
Event receive(int peer) { return message(EventKind::receive, peer); }
Event wait_for(int index) {
  Event event;
  event.kind = EventKind::wait;
  event.after = {index};
  return event;
}
Event all_reduce() {
  Event event;
  event.kind = EventKind::collective;
  event.elements = 1;
  return event;
}

RoleTrace of_two(std::vector<Event> first, std::vector<Event> second) {
  RoleTrace trace;
  trace.ranks = 2;
  trace.groups = {{"all", {{2, 1}}}};
  trace.passes = {{"step", {}, std::move(first)}, {"step", {}, std::move(second)}};
  trace.roles = {{"rank 0", {{0, {}}}, {}}, {"rank 1", {{1, {}}}, {}}};
  return trace;
}

TEST(Steps, end_where_each_message_is_sent_before_it_is_awaited) {
  EXPECT_TRUE(comes_to_its_end(
      of_two({send(1), receive(1), wait_for(1), all_reduce()}, {receive(-1), wait_for(0), send(-1), all_reduce()})));
}

TEST(Steps, do_not_end_where_ranks_wait_for_each_other) {
  EXPECT_FALSE(comes_to_its_end(of_two({receive(1), wait_for(0), send(1)}, {receive(-1), wait_for(0), send(-1)})));
  EXPECT_TRUE(comes_to_its_end(of_two({receive(1), send(1)}, {receive(-1), send(-1)}))) << "without waits";
}

TEST(Steps, do_not_end_where_a_rank_calls_a_collective_alone) {
  EXPECT_FALSE(comes_to_its_end(of_two({all_reduce(), all_reduce()}, {all_reduce()})));
  EXPECT_FALSE(comes_to_its_end(of_two({all_reduce(), send(1)}, {receive(-1), wait_for(0), all_reduce()})))
      << "the message comes after the collective";
}

}  // namespace
}  // namespace ringmark::replay
