#include "replay/generate/memory_fit.hpp"

#include <gmock/gmock.h>

#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST(MemoryFit, shares_states_by_all_ranks_where_a_group_is_too_small) {
  const auto model = load_model("llama2-70b");
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-fsdp");
  settings.sharding.strategy = ShardingStrategy::hybrid_shard_zero2;
  settings.sharding.degree = 8;
  settings.ranks = 128;
  settings.recompute = {Recompute::Kind::full};
  constexpr double bytes = 80e9;
  ASSERT_FALSE(fits(memory_of(model, settings), bytes));
  const auto change = change_that_fits(model, settings, bytes);
  ASSERT_TRUE(change.has_value());
  EXPECT_THAT(*change, AllOf(HasSubstr("FULL_SHARD"), HasSubstr("--shard-degree"), Not(HasSubstr("--ranks"))));
  settings.framework = *parse_framework("pytorch-fsdp2");
  settings.sharding = {};
  settings.sharding.degree = 8;
  settings.sharding.reshard_after_forward = 4;
  EXPECT_THAT(change_that_fits(model, settings, bytes).value(),
              AllOf(HasSubstr("--reshard-after-forward true"), HasSubstr("--shard-degree")));
}

TEST(MemoryFit, computes_core_attention_again_where_its_scores_are_kept) {
  const auto model = load_model("opt-1.3b");
  auto settings = zero(2, 8);
  settings.software = Software::Kind::unfused;
  auto selective = settings;
  selective.recompute = {Recompute::Kind::selective};
  const double bytes = total_bytes(memory_of(model, selective)) / usable_share;
  EXPECT_EQ(change_that_fits(model, settings, bytes), "--recompute selective");
  settings.software = Software::Kind::fused_attention;
  const double less = 0.9 * total_bytes(memory_of(model, settings)) / usable_share;
  EXPECT_THAT(change_that_fits(model, settings, less).value(), HasSubstr("--recompute full"));
}

TEST(MemoryFit, gives_up_the_second_copy_of_weights) {
  const auto model = load_model("llama2-70b");
  auto settings = zero(3, 64);
  settings.secondary_partition = 8;
  settings.recompute = {Recompute::Kind::full};
  auto without = settings;
  without.secondary_partition = 1;
  const double bytes = total_bytes(memory_of(model, without)) / usable_share;
  EXPECT_EQ(change_that_fits(model, settings, bytes), "zero_hpz_partition_size 1");
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
  settings.recompute = {Recompute::Kind::full};
  EXPECT_GT(largest_batch(model, settings, 80 * GiB), 2 * largest);
  EXPECT_EQ(largest_batch(load_model("llama2-70b"), zero(2, 8), 80 * GiB), 0U);
}

TEST(MemoryFit, names_frameworks_that_shard_all_states_where_another_cannot) {
  constexpr double GiB = 1024.0 * 1024 * 1024;
  StepSettings settings;
  settings.ranks = 64;
  settings.framework = *parse_framework("pytorch-ddp");
  const auto model = load_model("llama2-70b");
  const auto change = change_that_fits(model, settings, 80 * GiB).value();
  EXPECT_THAT(change, HasSubstr("--framework pytorch-fsdp-"));
  EXPECT_THAT(change, HasSubstr("or with --framework deepspeed-0.16.4 --zero 3"));
  EXPECT_TRUE(change_that_fits(model, settings, 24 * GiB));
  EXPECT_FALSE(change_that_fits(model, settings, GiB / 8)) << "not even those";
}

}  // namespace
}  // namespace ringmark::replay
