#include "sweeps/training/step_space.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "replay/generate/generate.hpp"
#include "tests/sweeps/training/training_fixture.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using StepSpaceTest = TrainingFixture;

const Candidate* find(const Candidates& candidates, const std::map<std::string, std::string>& changes) {
  const auto found = std::find_if(candidates.all.begin(), candidates.all.end(),
                                  [&](const Candidate& each) { return each.description.changes == changes; });
  return found == candidates.all.end() ? nullptr : &*found;
}

TEST_F(StepSpaceTest, strategies_keep_the_global_batch_and_none_is_there_twice) {
  const auto given = run();
  StepSpace space(given, steps());
  EXPECT_EQ(space.global_batch(), 32U);
  const auto found = space.candidates(Part::strategy, space.own());
  // Stages 0 to 3, micro-batches 1, 2, 4 and 8, with and without recomputation.
  EXPECT_EQ(found.all.size(), 32U);
  std::set<std::string> names;
  for (const auto& each : found.all) {
    EXPECT_EQ(each.samples(), 32U) << each.name;
    names.insert(each.name);
  }
  EXPECT_EQ(names.size(), 32U);
  EXPECT_EQ(found.all.front().name, "default");
  const auto* third = find(found, {{"stage", "3"}, {"micro-batch", "8"}});
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->trace.zero_stage, 3);
  EXPECT_EQ((*third->description.ds_config)["gradient_accumulation_steps"], 1);
  EXPECT_EQ((*third->description.ds_config)["zero_optimization"]["stage"], 3);
}

TEST_F(StepSpaceTest, a_configuration_that_is_written_gives_the_step_that_was_tried) {
  const auto given = run("change: {strategy: {stage: [2]}}\n");
  StepSpace space(given, steps());
  const auto found = space.candidates(Part::strategy, space.own());
  ASSERT_EQ(found.all.size(), 2U);
  write("best.json", found.all[1].description.ds_config->dump());
  const auto again = read(
      "model: model.json\nds_config: best.json\nstep: {sequence: 256}\ncompute: {device: a100}\n"
      "ranks: 4\n");
  const StepSpace tuned(again, folder_.file("again"));
  EXPECT_EQ(tuned.own().trace.events, found.all[1].trace.events);
}

TEST_F(StepSpaceTest, settings_without_an_effect_at_this_stage_are_not_tried) {
  const auto given = run();
  StepSpace space(given, steps());
  for (const auto& each : space.candidates(Part::framework, space.own()).all) {
    EXPECT_FALSE(each.description.changes.contains("stage3_prefetch_bucket_size")) << each.name;
    EXPECT_EQ(each.trace.zero_stage, 1);
  }
  const auto third = run("change: {strategy: {stage: [3]}, framework: {overlap_comm: [true, false]}}\n");
  StepSpace with_third(third, folder_.file("third"));
  const auto strategies = with_third.candidates(Part::strategy, with_third.own());
  const auto* stage3 = find(strategies, {{"stage", "3"}});
  ASSERT_NE(stage3, nullptr);
  const auto found = with_third.candidates(Part::framework, *stage3);
  EXPECT_EQ(found.all.size(), 2U) << "stage 3 overlaps by itself";
  EXPECT_NE(find(found, {{"stage", "3"}, {"overlap_comm", "false"}}), nullptr);
}

TEST_F(StepSpaceTest, what_a_version_cannot_do_is_told_with_the_reason) {
  const auto given = run("change: {framework: {gradients: [reduce_scatter]}, strategy: no}\n");
  StepSpace space(given, steps());
  EXPECT_EQ(space.candidates(Part::framework, space.own()).all.size(), 2U);
  const auto third = run("change: {strategy: {stage: [3]}, framework: {gradients: [all_reduce]}}\n");
  StepSpace with_third(third, folder_.file("third"));
  const auto strategies = with_third.candidates(Part::strategy, with_third.own());
  const auto found = with_third.candidates(Part::framework, *find(strategies, {{"stage", "3"}}));
  ASSERT_EQ(found.refused.size(), 1U);
  EXPECT_EQ(found.refused[0].first, "gradients=all_reduce");
  EXPECT_THAT(found.refused[0].second, HasSubstr("ZeRO 3"));
}

TEST_F(StepSpaceTest, other_frameworks_change_by_their_flags) {
  const auto given = read(
      "model: model.json\nstep: {framework: pytorch-fsdp, sequence: 256, micro-batch: 2, grad-accum: 2}\n"
      "compute: {device: a100}\nranks: 4\nchange: {strategy: {sharding-strategy: [SHARD_GRAD_OP]},\n"
      "  framework: {forward-prefetch: [true]}}\n");
  StepSpace space(given, steps());
  EXPECT_FALSE(space.own().description.ds_config);
  const auto found = space.candidates(Part::strategy, space.own());
  ASSERT_EQ(found.all.size(), 2U);
  EXPECT_EQ(found.all[1].description.flags.at("sharding-strategy"), "SHARD_GRAD_OP");
  EXPECT_EQ(space.candidates(Part::framework, space.own()).all.size(), 2U);
}

TEST_F(StepSpaceTest, flags_of_DeepSpeed_become_its_file) {
  const auto given = read(
      "model: model.json\nstep: {zero: 2, sequence: 256, micro-batch: 2, grad-accum: 2, dtype: fp16}\n"
      "compute: {device: a100}\nranks: 4\n");
  const StepSpace space(given, steps());
  ASSERT_TRUE(space.own().description.ds_config);
  const auto& config = *space.own().description.ds_config;
  EXPECT_EQ(config["zero_optimization"]["stage"], 2);
  EXPECT_EQ(config["fp16"]["enabled"], true);
  EXPECT_EQ(space.own().trace.zero_stage, 2);
  EXPECT_EQ(space.own().micro_steps(), 2);
}

TEST_F(StepSpaceTest, a_global_batch_settles_the_accumulation_or_is_refused) {
  write("ds.json", R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}})");
  const auto settled = run("global_batch: 48\n");
  EXPECT_EQ(StepSpace(settled, steps()).own().micro_steps(), 6);
  const auto wrong = run("global_batch: 30\n");
  EXPECT_THAT(problems([&] { StepSpace(wrong, steps()); }), ElementsAre(HasSubstr("run.yaml:7: global_batch 30")));
}

TEST_F(StepSpaceTest, measured_times_hold_for_their_micro_batch_alone) {
  const auto text = [](const std::string& rest) {
    return "model: model.json\nds_config: ds.json\ncompute: {forward-ms: 1, backward-ms: 2}\nranks: 4\n" + rest;
  };
  const auto given = read(text(""));
  StepSpace space(given, steps());
  for (const auto& each : space.candidates(Part::strategy, space.own()).all) {
    EXPECT_EQ(each.trace.micro_batch, 2U);
    EXPECT_FALSE(each.description.changes.contains("recompute"));
  }
  const auto other = read(text("change: {strategy: {micro-batch: [4]}}\n"));
  EXPECT_THAT(problems([&] { StepSpace(other, folder_.file("other")); }),
              ElementsAre(AllOf(HasSubstr("run.yaml:5: change.strategy.micro-batch 4"), HasSubstr("device"))));
}

TEST_F(StepSpaceTest, refuses_what_cannot_be_read_by_the_key_that_gave_it) {
  const auto problem = [&](const std::string& text) {
    const auto found = problems([&] {
      const auto given = read(text);
      StepSpace space(given, steps());
      space.candidates(Part::strategy, space.own());
    });
    return found.empty() ? "" : found.front();
  };
  EXPECT_THAT(problem("model: model.json\nranks: 2\n"), AllOf(HasSubstr("compute"), HasSubstr("device")));
  EXPECT_THAT(problem("model: model.json\ncompute:\n  device: a1000\nranks: 2\n"), HasSubstr("a1000"));
  EXPECT_THAT(problem("model: model.json\nstep:\n  micro-bach: 2\ncompute: {device: a100}\nranks: 2\n"),
              HasSubstr("micro-bach"));
  EXPECT_THAT(problem("model: model.json\nstep: {tp: 2}\ncompute: {device: a100}\nranks: 4\n"), HasSubstr("step"));
  EXPECT_THAT(problem("model: model.json\ncompute: {device: a100}\nranks: 2\nchange: {strategy: {stge: [1]}}\n"),
              AllOf(HasSubstr("run.yaml:4: change.strategy.stge"), HasSubstr("stage")));
}

TEST_F(StepSpaceTest, refuses_a_setting_without_a_usable_value) {
  for (const auto& [change, key] : {std::pair("strategy: {stage: [7]}", "change.strategy.stage"),
                                    {"strategy: {stage: [7, x]}", "change.strategy.stage"},
                                    {"strategy: {recompute: [maybe]}", "change.strategy.recompute"},
                                    {"framework: {overlap_comm: [maybe]}", "change.framework.overlap_comm"}}) {
    const auto given = run(fmt::format("change: {{{}}}\n", change));
    try {
      const StepSpace space(given, steps());
      ADD_FAILURE() << change;
    } catch (const BadUsage& error) {
      EXPECT_EQ(error.problems().front().flag, key) << error.what();
      EXPECT_EQ(error.problems().front().place.value().file, given.file);
    }
  }
  const auto given = run("change: {strategy: {stage: [2, 7]}}\n");
  StepSpace space(given, steps());
  const auto found = space.candidates(Part::strategy, space.own());
  EXPECT_NE(find(found, {{"stage", "2"}}), nullptr);
  EXPECT_EQ(found.refused.size(), 1U);
}

TEST_F(StepSpaceTest, a_trace_is_one_step) {
  const auto given = run();
  const StepSpace space(given, steps());
  EXPECT_THAT(space.why_fixed(), IsEmpty());
}

}  // namespace
}  // namespace ringmark::sweep
