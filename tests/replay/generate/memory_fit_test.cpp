#include "replay/generate/memory_fit.hpp"

#include <gmock/gmock.h>

#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

TEST(MemoryFit, names_the_smallest_change_that_fits) {
  constexpr double GiB = 1024.0 * 1024 * 1024;
  auto settings = zero(2, 64);
  settings.micro_batch = 8;
  EXPECT_EQ(change_that_fits(load_model("llama-8b"), settings, 80 * GiB), "--micro-batch 4 --grad-accum 4");
  settings.micro_batch = 1;
  const auto large = change_that_fits(load_model("llama2-70b"), settings, 80 * GiB);
  ASSERT_TRUE(large.has_value());
  EXPECT_THAT(*large, HasSubstr("--zero 3"));
}

/// With more micro-steps than one, transformers' gradients are there beside activations.
TEST(MemoryFit, names_only_changes_that_fit) {
  const auto model = load_model("opt-1.3b");
  StepSettings settings;
  settings.framework.kind = Framework::Kind::pytorch_ddp;
  settings.ranks = 1;
  settings.micro_batch = 8;
  settings.software = Software::Kind::transformers;
  auto halved = settings;
  halved.micro_batch = 4, halved.micro_steps = 2;
  const double too_little = 0.999 * total_bytes(memory_of(model, halved)) / usable_share;
  EXPECT_EQ(change_that_fits(model, settings, too_little), "--micro-batch 2 --grad-accum 4");
  halved.micro_steps = 1;
  EXPECT_TRUE(fits(memory_of(model, halved), too_little)) << "alone, without a second micro-step";
}

TEST(MemoryFit, says_nothing_of_batches_without_dimensions) {
  auto model = load_model("opt-125m");
  model.dimensions = {};
  EXPECT_FALSE(largest_micro_batch(memory_of(model, zero(2, 8)), 1, 80e9).has_value());
}

TEST(MemoryFit, bounds_the_micro_batch) {
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
