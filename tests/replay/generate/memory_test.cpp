#include "replay/generate/memory.hpp"

#include <gmock/gmock.h>

#include "replay/model/model_file.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

/// Model states as the ZeRO paper has them: 16, 4 + 12/N, 2 + 14/N and 16/N bytes for a parameter.
TEST(MemoryOfARank, is_that_of_the_paper_for_states) {
  const auto model = load_model("llama2-7b");
  const auto states = [&](int stage, int ranks) {
    auto settings = zero(stage, ranks);
    settings.framework = *parse_framework("deepspeed-0.17.6");
    const auto memory = memory_of(model, settings);
    return (memory[0].bytes + memory[1].bytes + memory[2].bytes) / static_cast<double>(model.elements());
  };
  EXPECT_DOUBLE_EQ(states(0, 64), 16);
  EXPECT_DOUBLE_EQ(states(1, 64), 4 + 12.0 / 64);
  EXPECT_DOUBLE_EQ(states(2, 64), 2 + 14.0 / 64);
  EXPECT_DOUBLE_EQ(states(3, 64), 16.0 / 64);
}

TEST(MemoryOfARank, has_no_states_of_what_is_frozen) {
  auto model = load_model("llama2-7b");
  for (auto& parameter : model.parameters) parameter.requires_grad = parameter.name.find("q_proj") != std::string::npos;
  const auto memory = memory_of(model, zero(1, 64));
  const auto all = static_cast<double>(model.elements()), trained = static_cast<double>(model.trained_elements());
  ASSERT_LT(trained, all / 10);
  EXPECT_DOUBLE_EQ(memory[0].bytes, 2 * all);
  EXPECT_DOUBLE_EQ(memory[1].bytes, 2 * trained);
  EXPECT_DOUBLE_EQ(memory[2].bytes, 12 * trained / 64);
}

TEST(MemoryOfARank, follows_what_the_framework_keeps) {
  const auto model = load_model("llama-8b");
  const auto part = [&](const StepSettings& settings, const std::string& what) {
    for (const auto& [name, bytes, grows] : memory_of(model, settings)) {
      if (name == what) return bytes;
    }
    return 0.0;
  };
  const auto p = static_cast<double>(model.elements());
  StepSettings megatron;
  megatron.framework = *parse_framework("megatron");
  megatron.ranks = 16;
  EXPECT_DOUBLE_EQ(part(megatron, "gradients"), 4 * p) << "in the type that it reduces";
  auto accumulating = zero(1, 16);
  accumulating.accumulates_in_float32 = true;
  EXPECT_DOUBLE_EQ(part(accumulating, "gradients in float32"), 4 * p);
  auto offloading = zero(3, 16);
  offloading.offloads_optimizer = true;
  EXPECT_EQ(part(offloading, "optimizer states"), 0);
  StepSettings fsdp;
  fsdp.framework = *parse_framework("pytorch-fsdp");
  fsdp.ranks = 2;
  EXPECT_DOUBLE_EQ(part(fsdp, "gradients in float32 at the step"), 4 * p / 2);
  EXPECT_DOUBLE_EQ(part(zero(3, 2), "gradients in float32 at the step"), 4e9) << "of a group at a time";
  fsdp.ranks = 16;
  EXPECT_GT(part(fsdp, "gathered weights"), 2 * 1'050'677'248.0) << "the root unit stays";
}

TEST(MemoryOfARank, knows_of_layers_that_a_description_recomputes) {
  auto model = load_model("opt-125m");
  const double kept = total_bytes(memory_of(model, zero(2, 8)));
  recompute_layers(model);
  EXPECT_LT(total_bytes(memory_of(model, zero(2, 8))), kept);
}

TEST(MemoryOfARank, says_nothing_of_batches_without_dimensions) {
  auto model = load_model("opt-125m");
  model.dimensions = {};
  EXPECT_FALSE(largest_micro_batch(memory_of(model, zero(2, 8)), 1, 80e9).has_value());
}

TEST(MemoryOfARank, bounds_the_micro_batch) {
  constexpr double GiB = 1024.0 * 1024 * 1024;
  const auto model = load_model("llama-8b");
  auto settings = zero(2, 64);
  const auto largest = largest_batch(model, settings, 80 * GiB);
  ASSERT_GT(largest, 0U);
  settings.micro_batch = largest;
  EXPECT_THAT(describe(memory_of(model, settings), 80 * GiB), HasSubstr("fits: "));
  settings.micro_batch = largest + 1;
  EXPECT_THAT(describe(memory_of(model, settings), 80 * GiB), HasSubstr("out of memory: "));
  settings.recompute = true;
  EXPECT_GT(largest_batch(model, settings, 80 * GiB), 2 * largest);
  EXPECT_EQ(largest_batch(load_model("llama2-70b"), zero(2, 8), 80 * GiB), 0U);
}

}  // namespace
}  // namespace ringmark::replay
