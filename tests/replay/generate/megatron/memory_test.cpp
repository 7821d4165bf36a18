#include "replay/generate/megatron/memory.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay::megatron {
namespace {

constexpr double bytes_of_GiB = 1ULL << 30U;

/// Llama 3.1 8B in 16 bits.
Settings llama_8b(int ranks) {
  Settings settings;
  settings.model = {.layers = 32,
                    .hidden = 4096,
                    .feed_forward = 14336,
                    .heads = 32,
                    .key_heads = 8,
                    .head_width = 128,
                    .vocabulary = 128256,
                    .is_tied = false,
                    .is_gated = true,
                    .has_biases = false,
                    .has_query_biases = false,
                    .has_norm_biases = false};
  settings.ranks = ranks;
  settings.sequence = 8192;
  settings.gradient_type = DataType::bfloat16;
  settings.shards_optimizer = true;
  return settings;
}

double part(const Settings& settings, int stage, const std::string& what) {
  std::vector<Chunk> chunks;
  for (const auto& place : places_of(settings, stage)) chunks.push_back(make_chunk(settings, place));
  for (const auto& each : memory_of(settings, chunks, stage)) {
    if (each.what == what) return each.bytes / bytes_of_GiB;
  }
  return 0;
}

TEST(MegatronMemory, tensor_parallelism_divides_weights_and_activations) {
  auto settings = llama_8b(8);
  settings.global_batch = 8;
  const double weights = part(settings, 0, "weights"), activations = part(settings, 0, "activations");
  EXPECT_NEAR(weights, 8.03e9 * 2 / bytes_of_GiB, 0.05);
  settings.sizes.tensor = 4;
  settings.sizes.shards_sequence = true;
  EXPECT_NEAR(part(settings, 0, "weights"), weights / 4, 0.01);
  EXPECT_NEAR(part(settings, 0, "activations"), activations / 4, 0.01);
  settings.sizes.shards_sequence = false;
  EXPECT_GT(part(settings, 0, "activations"), activations / 4 * 1.2) << "norms keep the whole sequence";
}

TEST(MegatronMemory, the_first_stage_keeps_most_micro_batches) {
  auto settings = llama_8b(4);
  settings.sizes.pipeline = 4;
  settings.global_batch = 16;
  const double last = part(settings, 3, "activations");
  EXPECT_DOUBLE_EQ(part(settings, 0, "activations"), 4 * last);
  EXPECT_DOUBLE_EQ(part(settings, 2, "activations"), 2 * last);
  EXPECT_GT(part(settings, 3, "logits"), 0);
  EXPECT_EQ(part(settings, 0, "logits"), 0);
}

TEST(MegatronMemory, recomputation_keeps_the_inputs_of_layers_and_one_layer) {
  auto settings = llama_8b(1);
  const double all = part(settings, 0, "activations");
  settings.recompute.kind = Recompute::Kind::full;
  EXPECT_NEAR(part(settings, 0, "activations, recomputed"), all / 32 + 32.0 * 8192 * 4096 * 2 / bytes_of_GiB, 0.01);
}

TEST(MegatronMemory, layers_that_are_computed_again_together_keep_one_input) {
  auto settings = llama_8b(1);
  const double layer = part(settings, 0, "activations") / 32, input = 8192.0 * 4096 * 2 / bytes_of_GiB;
  settings.recompute.kind = Recompute::Kind::full;
  settings.recompute_group = 4;
  EXPECT_NEAR(part(settings, 0, "activations, recomputed"), 4 * layer + 8 * input, 0.01);
}

TEST(MegatronMemory, the_optimizer_lies_over_data_parallel_ranks) {
  auto settings = llama_8b(8);
  settings.global_batch = 8;
  EXPECT_NEAR(part(settings, 0, "optimizer states"), 12 * 8.03e9 / 8 / bytes_of_GiB, 0.05);
  settings.shards_optimizer = false;
  EXPECT_NEAR(part(settings, 0, "optimizer states"), 12 * 8.03e9 / bytes_of_GiB, 0.4);
}

}  // namespace
}  // namespace ringmark::replay::megatron
