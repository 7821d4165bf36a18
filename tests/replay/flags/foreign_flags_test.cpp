#include "replay/flags/foreign_flags.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/flags/command_line.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

/// The problem of one flag of `ringmark-replay predict`.
Problem problem_of(const char* flag, const char* value) {
  const char* words[] = {"ringmark-replay", "predict", "--model", "opt-125m", flag, value};
  const auto parsed = parse_command_line(6, words, std::nullopt);
  EXPECT_EQ(parsed.exit_status, 2) << flag;
  EXPECT_EQ(parsed.problems.size(), 1U) << flag;
  return parsed.problems.empty() ? Problem{} : parsed.problems.front();
}

TEST(ForeignFlags, of_parallelism_name_the_flags_of_predict) {
  for (const char* flag : {"--tp-size", "--parallelism.tensor_parallel_degree", "--parallelism.tensor-parallel-degree"})
    EXPECT_THAT(problem_of(flag, "2").remedy, HasSubstr("--tp")) << flag;
  EXPECT_THAT(problem_of("--pp-size", "2").remedy, HasSubstr("--pp"));
  EXPECT_THAT(problem_of("--cp-size", "2").remedy, HasSubstr("--cp"));
  EXPECT_THAT(problem_of("--ep-size", "2").remedy, HasSubstr("--ep"));
}

TEST(ForeignFlags, name_the_flag_that_means_the_same) {
  EXPECT_THAT(problem_of("--micro-batch-size", "2").remedy, HasSubstr("--micro-batch"));
  EXPECT_THAT(problem_of("--micro-batch-size", "2").text, HasSubstr("Megatron-LM"));
  EXPECT_THAT(problem_of("--training.global_batch_size", "64").remedy, HasSubstr("--grad-accum"));
  EXPECT_THAT(problem_of("--training.seq_len", "4096").remedy, HasSubstr("--sequence"));
  EXPECT_THAT(problem_of("--training.seq_len", "4096").text, HasSubstr("torchtitan"));
  EXPECT_THAT(problem_of("--recompute-granularity", "full").remedy, HasSubstr("--recompute"));
  EXPECT_THAT(problem_of("--use-distributed-optimizer", "1").remedy, HasSubstr("--framework megatron"));
}

TEST(ForeignFlags, have_remedies_of_flags_that_exist_and_are_none_themselves) {
  std::set<std::string> own;
  for (const auto& each : replay_flags()) own.insert(each.name);
  std::set<std::string> foreign;
  for (const auto& each : foreign_flags()) {
    for (const auto& name : split_at(each.names, ' ')) {
      EXPECT_FALSE(own.contains(name)) << name;
      EXPECT_TRUE(foreign.insert(name).second) << name << " comes twice";
    }
    for (auto word : split_at(each.remedy, ' ')) {
      word.resize(word.find_last_not_of(",;:") + 1);
      EXPECT_TRUE(!word.starts_with("--") || own.contains(word)) << word;
    }
  }
}

}  // namespace
}  // namespace ringmark::replay
