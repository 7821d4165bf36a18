#include "analysis/plan/words.hpp"

#include <gtest/gtest.h>

namespace ringmark::analysis {
namespace {

TEST(Words, name_a_configuration_for_readers_who_do_not_know_the_keys) {
  PlanRow row{};
  row.stage = 1;
  row.micro_batch = 2;
  row.accumulation = 1;
  EXPECT_EQ(configuration_words(row), "ZeRO stage 1, 2 sequences x 1 micro-step a GPU");
  row.recompute = {.kind = replay::Recompute::Kind::full};
  row.micro_batch = 1;
  row.accumulation = 4;
  EXPECT_EQ(configuration_words(row), "ZeRO stage 1, 1 sequence x 4 micro-steps a GPU, full recomputation");
  std::set<std::string> all;
  using Kind = replay::Framework::Kind;
  for (const auto kind :
       {Kind::deepspeed, Kind::pytorch_ddp, Kind::pytorch_fsdp, Kind::pytorch_fsdp2, Kind::megatron}) {
    row.framework = kind;
    for (const int stage : stages_of(kind)) {
      row.stage = stage;
      all.insert(configuration_words(row));
    }
  }
  EXPECT_EQ(all.size(), 4U + 1 + 2 + 2 + 1) << "all differ";
}

}  // namespace
}  // namespace ringmark::analysis
