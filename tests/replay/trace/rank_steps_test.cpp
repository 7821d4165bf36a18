#include "replay/trace/rank_steps.hpp"

#include <numeric>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/trace/calls.hpp"
#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

/// Each computation takes a microsecond.
std::vector<std::vector<double>> a_microsecond_each(const RoleTrace& trace) {
  std::vector<std::vector<double>> durations_us;
  for (const auto& pass : trace.passes) {
    auto& of_pass = durations_us.emplace_back();
    for (const auto& event : pass.events) of_pass.push_back(computes(event) ? 1 : 0);
  }
  return durations_us;
}

std::vector<StepTrace> steps_of_all(const RoleTrace& trace) {
  const RankSteps steps(trace, a_microsecond_each(trace));
  std::vector<StepTrace> all;
  for (int rank = 0; rank < trace.ranks; ++rank) all.push_back(steps.of(rank).trace);
  return all;
}

std::vector<Operation> operations_on(const StepTrace& step, std::size_t channel) {
  std::vector<Operation> operations;
  for (const auto& event : step.events) {
    if (is_call(event) && event.channel == static_cast<int>(channel))
      operations.push_back(operation_of(event, step.group_of(event).size(step.ranks)));
  }
  return operations;
}

class RankStepsOf : public ::testing::TestWithParam<std::pair<std::string, int>> {
 protected:
  RoleTrace trace_ = small_roles(GetParam().first, GetParam().second);
};

TEST_P(RankStepsOf, agree_on_each_channel) {
  const auto steps = steps_of_all(trace_);
  std::size_t calls = 0;
  for (const auto& step : steps) {
    ASSERT_EQ(step.channels.size(), steps.front().channels.size());
    ASSERT_EQ(step.groups.size(), step.channels.size());
  }
  for (std::size_t channel = 0; channel < steps.front().channels.size(); ++channel) {
    for (int rank = 0; rank < trace_.ranks; ++rank) {
      const auto& mine = steps[static_cast<std::size_t>(rank)];
      const auto members = mine.groups[channel].members(rank, trace_.ranks);
      EXPECT_THAT(members, ::testing::Contains(rank));
      const auto operations = operations_on(mine, channel);
      calls += operations.size();
      EXPECT_TRUE(members.size() > 1 || operations.empty());
      for (const int member : members) {
        const auto& other = steps[static_cast<std::size_t>(member)];
        EXPECT_EQ(other.groups[channel].members(member, trace_.ranks), members);
        EXPECT_EQ(operations_on(other, channel), operations) << rank << " and " << member;
      }
    }
  }
  EXPECT_GT(calls, 0U);
}

TEST_P(RankStepsOf, have_all_calls_of_the_rank) {
  const auto steps = steps_of_all(trace_);
  for (int rank = 0; rank < trace_.ranks; ++rank) {
    std::ostringstream lines;
    write_calls(trace_, rank, lines);
    const auto text = lines.str();
    const auto& events = steps[static_cast<std::size_t>(rank)].events;
    EXPECT_EQ(std::count_if(events.begin(), events.end(), is_call), std::count(text.begin(), text.end(), '\n'));
  }
}

TEST_P(RankStepsOf, compute_what_the_plays_compute) {
  const RankSteps steps(trace_, a_microsecond_each(trace_));
  for (int rank = 0; rank < trace_.ranks; ++rank) {
    double wanted_us = 0;
    for (const auto& play : trace_.role_of(rank).plays) {
      const auto& events = trace_.passes[static_cast<std::size_t>(play.pass)].events;
      wanted_us += static_cast<double>(std::count_if(events.begin(), events.end(), computes));
    }
    const auto step = steps.of(rank);
    EXPECT_EQ(step.durations_us.size(), step.trace.events.size());
    EXPECT_EQ(std::accumulate(step.durations_us.begin(), step.durations_us.end(), 0.0), wanted_us);
    EXPECT_EQ(step.trace.micro_steps, trace_.micro_batches);
    for (std::size_t at = 0; at < step.trace.events.size(); ++at) {
      EXPECT_LT(step.trace.events[at].micro_step, step.trace.micro_steps);
      for (const int before : step.trace.events[at].after) EXPECT_LT(before, static_cast<int>(at));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RankStepsOf,
                         ::testing::Values(std::pair(tensors_and_pipeline, 8), std::pair(interleaved_on_two, 4),
                                           std::pair(interleaved_on_four, 8), std::pair(experts, 8)));

/// Two roles of a rank each: the first one sends a message, and waits for another one that comes later.
class RankStep2 : public ::testing::Test {
 protected:
  RankStep2() {
    trace_.ranks = 2;
    trace_.groups = {{"pp", {{2, 1}}}, {"alone", {}}};
    trace_.roles.resize(2);
  }
  static Event event(EventKind kind, int peer = 0) {
    Event result;
    result.kind = kind;
    result.peer = peer;
    result.elements = 10;
    result.is_async = true;
    return result;
  }
  void play(std::size_t role, std::vector<Event> events) {
    trace_.roles[role].plays.push_back({static_cast<int>(trace_.passes.size()), std::nullopt});
    trace_.passes.push_back({"pass", std::nullopt, std::move(events)});
  }
  StepTrace step(int rank) const { return RankSteps(trace_, a_microsecond_each(trace_)).of(rank).trace; }

  RoleTrace trace_;
};

TEST_F(RankStep2, waits_for_the_oldest_message_and_for_the_last_call_of_a_group) {
  auto oldest = event(EventKind::wait, 1);
  oldest.oldest_message_of = 0;
  auto drain = event(EventKind::wait);
  drain.drains = 0;
  auto sum = event(EventKind::collective);
  play(0, {event(EventKind::receive, 1), event(EventKind::receive, 1)});
  play(0, {oldest, sum, sum, drain, oldest, oldest});
  play(1, {event(EventKind::send, -1), event(EventKind::send, -1), sum, sum});
  const auto first = step(0);
  ASSERT_EQ(first.events.size(), 7U) << "a wait for nothing is left out";
  EXPECT_THAT(first.events[2].after, ElementsAre(0));
  EXPECT_THAT(first.events[5].after, ElementsAre(4));
  EXPECT_THAT(first.events[6].after, ElementsAre(1));
  EXPECT_EQ(first.events[0].root, 1) << "the sender";
  EXPECT_EQ(step(1).events[0].root, 1);
  EXPECT_EQ(first.groups[0].kind, Group::Kind::world);
}

TEST_F(RankStep2, leaves_out_what_a_rank_does_alone) {
  auto alone = event(EventKind::collective);
  alone.group = 1;
  auto wait = event(EventKind::wait);
  wait.after = {0, 1};
  play(0, {alone, event(EventKind::compute), wait});
  play(1, {event(EventKind::compute)});
  const auto first = step(0);
  ASSERT_EQ(first.events.size(), 2U);
  EXPECT_THAT(first.events[1].after, ElementsAre(0));
  EXPECT_TRUE(first.channels.empty());
}

TEST_F(RankStep2, are_refused_where_a_member_never_calls) {
  play(0, {event(EventKind::collective)});
  play(1, {event(EventKind::compute)});
  EXPECT_THROW(step(0), BadUsage);
}

TEST_F(RankStep2, starts_the_messages_of_a_launch_in_the_same_order_on_both_ends) {
  const auto joint = [](EventKind kind, int peer) {
    auto result = event(kind, peer);
    result.batch = 0;
    return result;
  };
  play(0, {joint(EventKind::send, 1), joint(EventKind::receive, 1)});
  play(1, {joint(EventKind::send, -1), joint(EventKind::receive, -1)});
  const auto channels = [&](int rank) {
    std::vector<int> all;
    for (const auto& each : step(rank).events) all.push_back(each.channel);
    return all;
  };
  EXPECT_THAT(channels(0), ElementsAre(0, 1));
  EXPECT_EQ(channels(0), channels(1));
}

}  // namespace
}  // namespace ringmark::replay
