#include "replay/trace/message_lines.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using namespace testing_support;

TEST(MessageLines, join_stages_both_ways) {
  const auto trace = small_roles(tensors_and_pipeline, 8);
  const auto [round_of, rounds] = lines_of(trace);
  std::set<std::pair<int, int>> ends;
  for (const auto& [line, round] : round_of) ends.insert({line.sender, line.receiver});
  // Ranks 0 to 3 are the first stage.
  EXPECT_EQ(ends, (std::set<std::pair<int, int>>{{0, 4}, {4, 0}, {1, 5}, {5, 1}, {2, 6}, {6, 2}, {3, 7}, {7, 3}}));
  EXPECT_EQ(rounds, 2) << "forwards, backwards";
}

TEST(MessageLines, of_a_round_do_not_meet) {
  for (const auto& arguments : {interleaved_on_two, interleaved_on_four}) {
    const auto lines = lines_of(small_roles(arguments, 8));
    std::set<std::pair<int, int>> taken;
    for (const auto& [line, round] : lines.round_of) {
      EXPECT_TRUE(taken.insert({round, line.sender}).second) << line.sender;
      EXPECT_TRUE(taken.insert({round, line.receiver}).second) << line.receiver;
      EXPECT_LT(round, lines.rounds);
    }
    EXPECT_FALSE(taken.empty());
  }
}

TEST(MessageLines, are_refused_where_roles_disagree) {
  auto trace = small_roles(tensors_and_pipeline, 8);
  EXPECT_EQ(lines_of(small_roles(experts, 4)).rounds, 0);
  auto fewer = trace;
  fewer.roles[1].plays.pop_back();
  EXPECT_NO_THROW(lines_of(fewer)) << "the last pass has no message";
  auto larger = trace;
  for (auto& pass : larger.passes) {
    for (auto& event : pass.events) event.elements += event.kind == EventKind::send ? 1 : 0;
  }
  EXPECT_THROW(lines_of(larger), BadUsage);
  auto beyond = trace;
  for (auto& pass : beyond.passes) {
    for (auto& event : pass.events) event.peer *= 4;
  }
  EXPECT_THROW(lines_of(beyond), BadUsage);
}

TEST(MessageLines, are_not_for_messages_to_oneself) {
  auto trace = small_roles(tensors_and_pipeline, 8);
  Event message;
  message.kind = EventKind::send;
  message.group = 0;
  EXPECT_FALSE(takes_line(trace, message));
  message.peer = -2;
  EXPECT_TRUE(takes_line(trace, message));
  EXPECT_EQ(line_of(message, 5), (MessageLine{0, 5, 3}));
  message.kind = EventKind::receive;
  EXPECT_EQ(line_of(message, 5), (MessageLine{0, 3, 5}));
}

}  // namespace
}  // namespace ringmark::replay
