#include "replay/flags/step_flags.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Given {
  StepFlags::Step step;
  std::vector<std::string> problems;
};

Given given(const std::string& line) {
  Flags flags("program", "A program.", "1");
  StepFlags step_flags(flags);
  step_flags.declare();
  std::istringstream stream(line);
  std::vector<std::string> words{"program"};
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  StepFlags::Step step;
  const auto parsed =
      flags.read(step, static_cast<int>(argv.size()), argv.data(), [&] { step = step_flags.interpret(4); });
  return {parsed.options, testing_support::texts(parsed.problems)};
}

/// The step on 8 ranks, by the flags of parallelism.
std::optional<RoleStep> given_roles(const std::string& line, std::vector<std::string>& problems) {
  Flags flags("program", "A program.", "1");
  StepFlags step_flags(flags);
  step_flags.declare();
  step_flags.declare_parallel();
  std::istringstream stream(line);
  std::vector<std::string> words{"program"};
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  std::optional<RoleStep> step;
  auto parsed = flags.read(step, static_cast<int>(argv.size()), argv.data(), [&] {
    step = step_flags.interpret_parallel(8);
    if (!step) static_cast<void>(step_flags.interpret(8));
  });
  problems = testing_support::texts(parsed.problems);
  return std::move(parsed.options);
}

TEST(StepFlags, a_missing_model_is_one_problem_whatever_the_framework) {
  for (const char* line : {"", "--tp 2", "--framework megatron", "--framework torchtitan"}) {
    std::vector<std::string> problems;
    EXPECT_FALSE(given_roles(line, problems)) << line;
    EXPECT_THAT(problems, ElementsAre(HasSubstr("--model: is missing"))) << line;
  }
}

TEST(StepFlags, say_the_step_of_torchtitan) {
  std::vector<std::string> problems;
  const std::string line = "--model llama-8b --framework torchtitan-0.3.0 ";
  const auto step = given_roles(line + "--tp 2 --pp 2 --vp 2 --global-batch 16 --sequence 4096", problems);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_TRUE(step);
  const auto& settings = std::get<torchtitan::Arguments>(*step).settings;
  EXPECT_EQ(settings.sizes.shards, 2);
  EXPECT_EQ(settings.schedule, torchtitan::Schedule::interleaved);
  EXPECT_EQ(settings.micro_batches(), 8);
  EXPECT_EQ(settings.stages(), 4);
  given_roles(line + "--etp 2", problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("--etp")));
  given_roles(line + "--pp 2 --vp 5", problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("--vp")));
  given_roles(line + "--zero 2", problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("--zero")));
  EXPECT_THAT(given("--model llama-8b --framework torchtitan-0.1").problems, ElementsAre(HasSubstr("--framework")));
}

TEST(StepFlags, say_the_step_of_megatron) {
  std::vector<std::string> problems;
  const std::string line = "--model opt-125m --framework megatron ";
  const auto settings_of = [&](const std::string& more) {
    const auto step = given_roles(line + more, problems);
    EXPECT_THAT(problems, IsEmpty());
    return std::get<megatron::Arguments>(step.value()).settings;
  };
  const auto usual = settings_of("--grad-accum 3");
  EXPECT_EQ(usual.data_parallel(), 8);
  EXPECT_EQ(usual.micro_batches(), 3);
  EXPECT_TRUE(usual.overlaps_gradients && usual.clips_gradients);
  EXPECT_EQ(usual.gradient_type, DataType::float32);
  EXPECT_EQ(usual.model.positions, 2050U) << "two of OPT's are padding";
  EXPECT_EQ(settings_of("--reduce-bucket 7").bucket, 7U);
  EXPECT_FALSE(settings_of("--overlap none").overlaps_gradients);
  EXPECT_FALSE(settings_of("--clip-grad 0").clips_gradients);
  EXPECT_EQ(settings_of("--dtype fp16").gradient_type, DataType::float16);
  given_roles(line + "--zero 2", problems);
  EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("--zero"), HasSubstr("--framework megatron"))));
}

TEST(RoleSteps, keep_the_batch_of_a_rank_on_other_ranks) {
  std::vector<std::string> problems;
  auto step = given_roles("--model llama-8b --tp 2 --pp 2 --global-batch 16", problems).value();
  EXPECT_EQ(unit_of_ranks(step), 4);
  set_ranks(step, 32);
  EXPECT_EQ(std::get<megatron::Arguments>(step).settings.global_batch, 64U);
  EXPECT_EQ(std::get<megatron::Arguments>(step).settings.micro_batches(), 8);
  auto titan = given_roles("--model llama-8b --framework torchtitan --tp 2 --global-batch 16", problems).value();
  set_ranks(titan, 32);
  const auto& settings = std::get<torchtitan::Arguments>(titan).settings;
  EXPECT_EQ(settings.sizes.shards, 16);
  EXPECT_EQ(settings.global_batch, 64U);
  EXPECT_NO_THROW(generate(titan));
  EXPECT_NEAR(work_of(step).parameters / 8.03e9, 1, 0.01);
}

TEST(StepFlags, say_nothing_beside_a_trace_that_has_said_it) {
  Flags flags("program", "A program.", "1");
  StepFlags step_flags(flags);
  step_flags.declare();
  const std::vector<const char*> argv{"program", "--zero", "2", "--recompute", "--ranks-per-node", "4"};
  bool describes = true;
  const auto parsed = flags.read(describes, static_cast<int>(argv.size()), argv.data(),
                                 [&] { describes = step_flags.describe_a_step("step.json", false); });
  EXPECT_THAT(testing_support::texts(parsed.problems),
              ElementsAre(AllOf(HasSubstr("--zero"), HasSubstr("step.json")), HasSubstr("--recompute")));
}

TEST(StepFlags, say_what_a_framework_has) {
  EXPECT_EQ(given("--model opt-125m --zero 2 --reduce-bucket 7").step.settings.reduce_bucket, 7U);
  EXPECT_TRUE(
      given("--model opt-125m --framework pytorch-ddp --find-unused-parameters").step.settings.find_unused_parameters);
  EXPECT_THAT(given("--model opt-125m --framework pytorch-ddp --reduce-bucket 7").problems,
              ElementsAre(HasSubstr("not for pytorch-ddp-1.13.0")));
  EXPECT_THAT(given("--model opt-125m --zero 2 --find-unused-parameters").problems,
              ElementsAre(HasSubstr("--find-unused-parameters: is for DDP")));
  EXPECT_THAT(given("--model opt-125m --framework pytorch-ddp --clip-grad 1").problems,
              ElementsAre(HasSubstr("DDP clips without a collective")));
  EXPECT_THAT(given("--model opt-125m --zero 2 --bucket-cap-mb 5").problems,
              ElementsAre(HasSubstr("--bucket-cap-mb 5: ")));
  EXPECT_THAT(given("--model opt-125m --zero 3 --gradients all_reduce").problems,
              ElementsAre(HasSubstr("ZeRO 3 always uses reduce_scatter")));
  EXPECT_THAT(given("--model opt-125m --zero 2 --gradients all_reduce").problems, IsEmpty());
}

TEST(StepFlags, say_what_is_computed_again) {
  using enum Recompute::Kind;
  const auto recompute = [](const std::string& line) {
    const auto parsed = given("--model opt-125m --software unfused " + line);
    EXPECT_THAT(parsed.problems, IsEmpty()) << line;
    EXPECT_THAT(parsed.step.notes, IsEmpty()) << line;
    return parsed.step.settings.recompute;
  };
  EXPECT_EQ(recompute(""), Recompute{none});
  EXPECT_EQ(recompute("--recompute"), Recompute{full});
  EXPECT_EQ(recompute("--recompute --zero 1"), Recompute{full});
  EXPECT_EQ(recompute("--recompute=false"), Recompute{none});
  EXPECT_EQ(recompute("--recompute selective"), Recompute{selective});
  EXPECT_EQ(recompute("--recompute block:3"), (Recompute{full, 3}));
  EXPECT_THAT(given("--model opt-125m --recompute uniform").problems, ElementsAre(HasSubstr("--recompute uniform: ")));
  EXPECT_THAT(given("--model opt-125m --recompute selective").step.notes, ElementsAre(HasSubstr("fused attention")))
      << "the usual software";
}

TEST(StepFlags, say_how_fsdp_shards) {
  const auto second =
      given("--model opt-125m --framework pytorch-fsdp2 --reshard-after-forward 2 --no-sync --wrap root");
  EXPECT_THAT(second.problems, IsEmpty());
  EXPECT_EQ(second.step.settings.sharding.reshard_after_forward, ReshardAfterForward(2));
  EXPECT_TRUE(second.step.settings.sharding.no_sync && second.step.settings.sharding.wraps_root_only);
  const auto first = given(
      "--model opt-125m --framework pytorch-fsdp-2.4 --sharding-strategy HYBRID_SHARD "
      "--shard-degree 2 --backward-prefetch BACKWARD_POST --use-orig-params");
  EXPECT_THAT(first.problems, IsEmpty());
  EXPECT_EQ(first.step.settings.sharding.strategy, ShardingStrategy::hybrid_shard);
  EXPECT_EQ(first.step.settings.sharding.backward_prefetch, BackwardPrefetch::post);
  EXPECT_EQ(first.step.settings.shard_degree(), 2);
}

TEST(StepFlags, refuse_sharding_that_the_framework_does_not_have) {
  EXPECT_THAT(given("--model opt-125m --framework pytorch-fsdp2 --sharding-strategy FULL_SHARD").problems,
              ElementsAre(HasSubstr("--sharding-strategy FULL_SHARD: ")));
  EXPECT_THAT(given("--model opt-125m --framework pytorch-fsdp --reshard-after-forward true").problems,
              ElementsAre(HasSubstr("--reshard-after-forward true: ")));
  EXPECT_THAT(given("--model opt-125m --zero 3 --no-sync").problems, ElementsAre(HasSubstr("--no-sync: ")));
  EXPECT_THAT(given("--model opt-125m --framework pytorch-fsdp2 --reshard-after-forward some").problems,
              ElementsAre(HasSubstr("--reshard-after-forward some")));
}

TEST(StepFlags, settle_what_a_ds_config_leaves_open) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("ds.json");
  std::ofstream(file) << R"({"bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"}, "gradient_clipping": "auto",
      "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})";
  const auto line = "--model opt-125m --ds-config " + file + " --dtype fp16 --clip-grad 0";
  const auto settled = given(line);
  EXPECT_THAT(settled.problems, IsEmpty());
  EXPECT_EQ(settled.step.settings.type, DataType::float16);
  EXPECT_EQ(settled.step.settings.clips_gradients, false);
  EXPECT_THAT(given(line + " --zero 1").problems, ElementsAre(HasSubstr("follows from")));
}

TEST(StepFlags, note_an_overlap_that_makes_no_difference) {
  const auto notes = [](const char* line) { return given(line).step.notes; };
  EXPECT_THAT(notes("--model opt-125m --zero 3 --overlap depth1"), ElementsAre(HasSubstr("same as ideal here")));
  EXPECT_THAT(notes("--model opt-125m --zero 0 --overlap ideal"), ElementsAre(HasSubstr("ZeRO 0 communicates after")));
  EXPECT_THAT(notes("--model opt-125m --zero 2 --overlap depth1"), IsEmpty());
  EXPECT_THAT(notes("--model opt-125m --framework pytorch-fsdp --overlap ideal"), IsEmpty());
}

TEST(StepFlags, leave_groups_and_gradients_to_the_description) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("model.yaml");
  std::ofstream(file) << "parameters: [{name: a, shape: [2, 2]}, {name: b, shape: [2]}, {name: c, shape: [2]}]\n"
                         "forward: {name: root, parameters: [a, b]}\n"
                         "parameter_groups: [[a], [b], [c]]\n";
  const auto plain = given("--model " + file + " --zero 1");
  EXPECT_THAT(plain.problems, IsEmpty());
  EXPECT_THAT(plain.step.notes, ElementsAre(HasSubstr("model.yaml: ")));
  EXPECT_THAT(given("--model " + file + " --zero 1 --param-groups 2").problems,
              ElementsAre(HasSubstr("parameter_groups")));
}

}  // namespace
}  // namespace ringmark::replay
