#include "replay/generate/torchtitan/schedule.hpp"

#include <map>

#include <gtest/gtest.h>

#include "replay/generate/torchtitan/chunk.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

Settings settings_of(Schedule schedule, int ranks, int micro_batches) {
  Settings settings;
  settings.schedule = schedule;
  settings.sizes.pipeline = settings.ranks = ranks;
  settings.batch = settings.global_batch = number(micro_batches);
  settings.model.layers = number(4 * ranks);
  settings.model.is_gated = true;
  return settings;
}

/// How often a stage's micro-batch runs in each kind of pass.
std::map<std::pair<int, int>, std::map<Kind, int>> passes_in(const std::vector<std::vector<Action>>& schedule) {
  std::map<std::pair<int, int>, std::map<Kind, int>> passes;
  for (const auto& actions : schedule) {
    for (const auto& action : actions) {
      if (action.is_pass()) ++passes[{action.stage, action.micro_batch}][action.kind];
    }
  }
  return passes;
}

int count_of(const std::map<Kind, int>& counts, Kind kind) {
  const auto found = counts.find(kind);
  return found == counts.end() ? 0 : found->second;
}

class EverySchedule : public testing::TestWithParam<Schedule> {};

TEST_P(EverySchedule, runs_each_micro_batch_forward_and_backward_once) {
  for (const int ranks : {2, 3, 4}) {
    const auto settings = settings_of(GetParam(), ranks, 4 * ranks);
    const auto passes = passes_in(schedule_of(settings));
    ASSERT_EQ(passes.size(), static_cast<std::size_t>(settings.stages() * settings.micro_batches()));
    for (const auto& [place, counts] : passes) {
      EXPECT_EQ(count_of(counts, Kind::forward), 1);
      EXPECT_EQ(count_of(counts, Kind::backward) + count_of(counts, Kind::backward_input), 1);
      EXPECT_EQ(count_of(counts, Kind::backward_input), count_of(counts, Kind::backward_weights));
    }
  }
}

TEST_P(EverySchedule, pairs_messages_of_neighbouring_stages_in_one_order) {
  const auto settings = settings_of(GetParam(), 3, 12);
  const auto schedule = schedule_of(settings);
  // By the stage that computed it and the direction: messages sent, and those received.
  std::map<std::pair<int, bool>, std::pair<int, int>> counts;
  for (const auto& actions : schedule) {
    for (const auto& action : actions) {
      for (const auto& message : action.messages) {
        const int from = message.is_sent ? message.stage : message.stage + (message.is_forward ? -1 : 1);
        auto& [sent, received] = counts[{from, message.is_forward}];
        ++(message.is_sent ? sent : received);
      }
    }
  }
  for (const auto& [place, each] : counts) {
    EXPECT_EQ(each.first, 12);
    EXPECT_EQ(each.second, 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Torchtitan, EverySchedule,
                         testing::Values(Schedule::one_f_one_b, Schedule::gpipe, Schedule::looped_bfs,
                                         Schedule::interleaved, Schedule::interleaved_zero_bubble,
                                         Schedule::zbv_zero_bubble, Schedule::dual_pipe_v));

TEST(TorchtitanStages, form_a_v_or_go_round) {
  EXPECT_EQ(stages_of(settings_of(Schedule::zbv_zero_bubble, 4, 8), 1), (std::vector{1, 6}));
  EXPECT_EQ(stages_of(settings_of(Schedule::interleaved, 4, 8), 1), (std::vector{1, 5}));
  EXPECT_EQ(rank_of_stage(settings_of(Schedule::zbv_zero_bubble, 4, 8), 6), 1);
  EXPECT_EQ(rank_of_stage(settings_of(Schedule::interleaved, 4, 8), 6), 2);
}

TEST(TorchtitanStages, spread_layers_with_embedding_and_head_counted) {
  auto settings = settings_of(Schedule::one_f_one_b, 4, 8);
  settings.model.layers = 8;
  std::vector<std::size_t> layers;
  for (int stage = 0; stage < 4; ++stage) {
    const auto chunk = make_chunk(settings, stage);
    layers.push_back(chunk.units.size() - (stage == 0 || stage == 3 ? 1 : 0));
  }
  EXPECT_EQ(layers, (std::vector<std::size_t>{2, 3, 2, 1}));
}

}  // namespace
}  // namespace ringmark::replay::torchtitan
