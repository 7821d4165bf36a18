#include "replay/predict/simulate_roles.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/replay/predict/constant_network.hpp"

namespace ringmark::replay {
namespace {

/// Stages of a pipeline, whose passes compute, and whose messages take their time.
class Pipe {
 public:
  explicit Pipe(int stages) {
    trace.ranks = stages;
    trace.groups = {{"pp", {{stages, 1}}}};
    for (int stage = 0; stage < stages; ++stage) trace.roles.push_back({"stage " + std::to_string(stage), {}, {}});
  }

  void compute(int stage, double us) { play(stage, {Event{}}, {us}); }
  /// A message to (or from) the stage at that distance, for which this one waits.
  void message(int stage, EventKind kind, int distance) { messages(stage, kind, {distance}); }
  /// Several in one launch.
  void messages(int stage, EventKind kind, const std::vector<int>& distances) {
    std::vector<Event> events;
    Event wait;
    wait.kind = EventKind::wait;
    for (const int distance : distances) {
      wait.after.push_back(static_cast<int>(events.size()));
      events.push_back(to(kind, distance));
    }
    events.push_back(wait);
    const std::vector<double> nothing(events.size());
    play(stage, std::move(events), nothing);
  }
  /// A message for which the stage does not wait.
  void post(int stage, EventKind kind, int distance) { play(stage, {to(kind, distance)}, {0}); }
  void call(int stage, bool is_async, int group = 0) {
    Event event;
    event.group = group;
    event.kind = EventKind::collective;
    event.elements = 1;
    event.is_async = is_async;
    play(stage, {event}, {0});
  }
  void drain(int stage) {
    Event wait;
    wait.kind = EventKind::wait;
    wait.drains = 0;
    play(stage, {wait}, {0});
  }

  RoleSimulation run(double network_us, double contention = 0, double of_it_bytes_us = 0) {
    testing_support::ConstantNetwork network(network_us, of_it_bytes_us);
    return simulate(trace, {.durations_us = durations, .contention = contention, .slow_down = slow_down}, network);
  }

  RoleSimulation run_with_timelines(double network_us) {
    testing_support::ConstantNetwork network(network_us);
    return simulate(trace, {.durations_us = durations, .slow_down = {}, .keeps_timelines = true}, network);
  }

  RoleTrace trace;
  std::vector<std::vector<double>> durations;
  std::map<int, double> slow_down;

  static Event to(EventKind kind, int distance) {
    Event event;
    event.kind = kind;
    event.elements = 1;
    event.peer = distance;
    event.is_async = true;
    event.batch = 0;
    return event;
  }
  void play(int stage, std::vector<Event> events, std::vector<double> us) {
    trace.roles[static_cast<std::size_t>(stage)].plays.push_back({static_cast<int>(trace.passes.size()), {}});
    trace.passes.push_back({"pass", {}, std::move(events)});
    durations.push_back(std::move(us));
  }
};

TEST(SimulateRoles, a_call_that_waits_for_some_events_runs_beside_the_others) {
  Event computation, call, wait;
  call.kind = EventKind::collective;
  call.elements = 1;
  call.is_async = true;
  call.after = {0};
  wait.kind = EventKind::wait;
  wait.after = {2};
  Pipe pipe(1);
  pipe.trace.ranks = 2;
  pipe.trace.groups = {{"dp", {{2, 1}}}};
  pipe.trace.role_stride = 2;
  pipe.play(0, {computation, computation, call, wait}, {10, 30, 0, 0});
  EXPECT_DOUBLE_EQ(pipe.run(25).total_us, 40);
  EXPECT_DOUBLE_EQ(pipe.run(50).total_us, 60);
}

TEST(SimulateRoles, a_message_begins_when_both_ends_are_there) {
  Pipe pipe(2);
  pipe.compute(0, 100);
  pipe.message(0, EventKind::send, 1);
  pipe.compute(1, 30);
  pipe.message(1, EventKind::receive, -1);
  pipe.compute(1, 50);
  const auto result = pipe.run(10);
  EXPECT_DOUBLE_EQ(result.total_us, 160);
  EXPECT_DOUBLE_EQ(result.roles[1].bubble_us, 80);
  EXPECT_DOUBLE_EQ(result.roles[1].computation_us, 80);
  EXPECT_DOUBLE_EQ(result.roles[0].total_us, 110);
}

TEST(SimulateRoles, messages_of_a_rank_share_its_link_each_way) {
  Pipe from_one(3);
  from_one.message(0, EventKind::receive, 1);
  from_one.messages(1, EventKind::send, {-1, 1});
  from_one.message(2, EventKind::receive, -1);
  EXPECT_DOUBLE_EQ(from_one.run(10).total_us, 10) << "without bytes";
  EXPECT_DOUBLE_EQ(from_one.run(10, 0, 8).total_us, 18);
  Pipe to_one(3);
  to_one.message(0, EventKind::send, 1);
  to_one.messages(1, EventKind::receive, {-1, 1});
  to_one.message(2, EventKind::send, -1);
  EXPECT_DOUBLE_EQ(to_one.run(10, 0, 8).total_us, 18);
  Pipe there_and_back(2);
  for (const int stage : {0, 1}) {
    there_and_back.post(stage, EventKind::send, 1 - 2 * stage);
    there_and_back.message(stage, EventKind::receive, 1 - 2 * stage);
  }
  EXPECT_DOUBLE_EQ(there_and_back.run(10, 0, 8).total_us, 10);
}

TEST(SimulateRoles, a_collective_of_several_roles_waits_for_the_last_one) {
  Pipe pipe(3);
  for (const int stage : {0, 1, 2}) {
    pipe.compute(stage, 10 * (stage + 1));
    pipe.call(stage, false);
  }
  const auto result = pipe.run(5);
  for (const auto& role : result.roles) EXPECT_DOUBLE_EQ(role.total_us, 35);
  EXPECT_DOUBLE_EQ(result.roles[0].exposed_us, 25);
}

TEST(SimulateRoles, asynchronous_calls_follow_each_other_and_are_waited_for) {
  Pipe pipe(1);
  pipe.trace.ranks = 2;
  pipe.trace.groups = {{"tp", {{2, 1}}}};
  pipe.trace.role_stride = 2;
  pipe.call(0, true);
  pipe.call(0, true);
  pipe.compute(0, 15);
  pipe.drain(0);
  EXPECT_DOUBLE_EQ(pipe.run(10).roles[0].exposed_us, 5);
  EXPECT_DOUBLE_EQ(pipe.run(10).total_us, 20);
  EXPECT_DOUBLE_EQ(pipe.run(10, 0.5).roles[0].computation_us, 22.5) << "it loses half of the time beside calls";
}

TEST(SimulateRoles, a_slow_rank_delays_those_that_depend_on_it) {
  Pipe pipe(2);
  pipe.trace.ranks = 8;
  pipe.trace.role_stride = 4;
  pipe.trace.groups = {{"pp", {{2, 4}}}, {"tp", {{2, 1}}}};
  for (const int stage : {0, 1}) {
    if (stage == 1) pipe.message(1, EventKind::receive, -4);
    pipe.compute(stage, 100);
    pipe.call(stage, false, 1);
    if (stage == 0) pipe.message(0, EventKind::send, 4);
  }
  EXPECT_DOUBLE_EQ(pipe.run(10).total_us, 230);
  EXPECT_FALSE(pipe.run(10).slowest_rank);
  pipe.slow_down = {{3, 2.0}};
  const auto slow = pipe.run(10);
  EXPECT_DOUBLE_EQ(slow.total_us, 330) << "ranks 2 and 3, then 6 and 7";
  EXPECT_EQ(slow.slowest_rank, 3);
  EXPECT_EQ(slow.roles[0].rank, 3);
  EXPECT_DOUBLE_EQ(slow.roles[0].computation_us, 200);
}

TEST(SimulateRoles, timelines_have_each_event_of_the_role) {
  Pipe pipe(2);
  pipe.compute(0, 100);
  pipe.message(0, EventKind::send, 1);
  pipe.message(1, EventKind::receive, -1);
  pipe.call(0, false);
  pipe.call(1, false);
  const auto roles = pipe.run_with_timelines(10).roles;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    const auto& timeline = roles[role].timeline;
    ASSERT_EQ(timeline.begin_us.size(), played_by(pipe.trace, pipe.trace.roles[role]).events.size());
    EXPECT_DOUBLE_EQ(timeline.end_us.back(), 120);
  }
  EXPECT_DOUBLE_EQ(roles[1].timeline.begin_us[0], 0);
  EXPECT_DOUBLE_EQ(roles[1].timeline.end_us[0], 110) << "the message";
  EXPECT_DOUBLE_EQ(roles[1].timeline.begin_us[2], 110) << "the call";
}

TEST(SimulateRoles, roles_that_wait_for_each_other_are_named) {
  Pipe pipe(2);
  pipe.message(0, EventKind::receive, 1);
  pipe.message(1, EventKind::receive, -1);
  EXPECT_THROW(pipe.run(1), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
