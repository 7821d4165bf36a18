#include "replay/generate/megatron/schedule.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace ringmark::replay::megatron {
namespace {

using Kind = Action::Kind;

std::string passes_of(const std::vector<Action>& actions) {
  std::string text;
  for (const auto& action : actions) {
    if (action.kind == Kind::forward) text += "F" + std::to_string(action.micro_batch);
    if (action.kind == Kind::backward) text += "B" + std::to_string(action.micro_batch);
  }
  return text;
}

TEST(Schedule, without_a_pipeline_a_micro_batch_goes_forward_and_back) {
  EXPECT_EQ(passes_of(schedule_of({1, 1, 3}, 0)), "F0B0F1B1F2B2");
}

TEST(Schedule, earlier_stages_run_further_ahead) {
  EXPECT_EQ(passes_of(schedule_of({4, 1, 5}, 0)), "F0F1F2F3B0F4B1B2B3B4");
  EXPECT_EQ(passes_of(schedule_of({4, 1, 5}, 3)), "F0B0F1B1F2B2F3B3F4B4");
  EXPECT_EQ(passes_of(schedule_of({4, 1, 2}, 0)), "F0F1B0B1") << "fewer micro-batches than stages";
}

struct Shape {
  int stages, chunks, micro_batches, group;
  bool overlaps;
};

void expect_sound(const Shape& shape) {
  SCOPED_TRACE(testing::Message() << shape.stages << " stages, " << shape.chunks << " chunks, " << shape.micro_batches
                                  << " micro-batches, groups of " << shape.group << ", overlap " << shape.overlaps);
  const Pipeline pipeline{shape.stages, shape.chunks, shape.micro_batches, shape.group, shape.overlaps};
  // By sender and receiver: what was sent less what was received.
  std::map<std::pair<int, int>, int> under_way;
  for (int stage = 0; stage < shape.stages; ++stage) {
    std::map<std::pair<int, int>, int> state;  // by chunk and micro-batch: 1 after forward, 2 after backward
    int gathered = 0;
    std::vector<int> reduced(static_cast<std::size_t>(shape.chunks));
    for (const auto& action : schedule_of(pipeline, stage)) {
      const std::pair turn{action.chunk, action.micro_batch};
      const bool is_backward = action.kind == Kind::backward;
      if (action.kind == Kind::forward || is_backward) {
        EXPECT_EQ(state[turn]++, is_backward ? 1 : 0) << "forward comes first, and once";
      }
      if (action.kind == Kind::gather_weights) ++gathered;
      if (action.kind == Kind::reduce_gradients) ++reduced[static_cast<std::size_t>(action.chunk)];
      for (const auto& message : action.messages) {
        const int other = (stage + (message.is_to_next ? 1 : shape.stages - 1)) % shape.stages;
        ++under_way[{message.is_sent ? stage : other, message.is_sent ? other : stage}];
        if (!message.is_sent) under_way[{other, stage}] -= 2;
      }
    }
    EXPECT_EQ(state.size(), static_cast<std::size_t>(shape.chunks * shape.micro_batches));
    for (const auto& [turn, times] : state) EXPECT_EQ(times, 2);
    for (const int times : reduced) EXPECT_EQ(times, 1);
    EXPECT_EQ(gathered, shape.chunks > 1 ? shape.chunks : 0);
  }
  for (const auto& [ends, left] : under_way) EXPECT_EQ(left, 0) << ends.first << " to " << ends.second;
}

TEST(Schedule, every_pass_runs_once_and_every_message_has_two_ends) {
  for (const int stages : {2, 3, 4, 8}) {
    for (const int micro_batches : {1, 2, 5, 8, 16}) expect_sound({stages, 1, micro_batches, 0, true});
    for (const int chunks : {2, 3, 4}) {
      for (const bool overlaps : {true, false}) {
        expect_sound({stages, chunks, stages, 0, overlaps});
        expect_sound({stages, chunks, 4 * stages, 0, overlaps});
        expect_sound({stages, chunks, 3 * (stages + 1), stages + 1, overlaps});
      }
    }
  }
}

TEST(Schedule, with_one_more_chunk_a_stage_waits_less_at_the_start) {
  // The last stage begins its first backward pass after one group of micro-batches in each chunk.
  EXPECT_EQ(passes_of(schedule_of({2, 2, 4}, 1)).substr(0, 8), "F0F1F0B0");
}

}  // namespace
}  // namespace ringmark::replay::megatron
