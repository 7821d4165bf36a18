#include "replay/generate/megatron/load_transformer.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/write_file.hpp"

namespace ringmark::replay::megatron {
namespace {

Transformer load(const std::string& config) {
  const auto file = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  write_file(file, config);
  std::vector<std::string> notes;
  return load_transformer(file, notes);
}

/// The numbers of parameters are those of the checkpoints.
TEST(LoadTransformer, mixtral_has_all_its_parameters) {
  const auto model = load(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
    "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_DOUBLE_EQ(elements_of(model).total, 46'702'792'704.0);
  EXPECT_DOUBLE_EQ(elements_of(model).active, 12'879'925'248.0);
}

TEST(LoadTransformer, qwen3_has_all_its_parameters) {
  const auto model = load(R"({"model_type": "qwen3_moe", "hidden_size": 4096, "intermediate_size": 12288,
    "moe_intermediate_size": 1536, "num_hidden_layers": 94, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 128, "vocab_size": 151936, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1,
    "mlp_only_layers": [], "tie_word_embeddings": false})");
  EXPECT_DOUBLE_EQ(elements_of(model).total, 235'093'634'560.0);
}

TEST(LoadTransformer, deepseek_v3_has_latent_attention_and_dense_layers) {
  const auto model = load(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
    "vocab_size": 129280, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "q_lora_rank": 1536, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128})");
  EXPECT_NEAR(elements_of(model).total, 671.026e9, 0.01e9) << "without the layers of multi-token prediction";
  EXPECT_NEAR(elements_of(model).active, 37.5e9, 0.3e9);
  EXPECT_FALSE(model.has_experts(2));
  EXPECT_TRUE(model.has_experts(3));
  EXPECT_EQ(model.query_width(), 128U * 192U);
}

TEST(LoadTransformer, shipped_names_are_known) {
  std::vector<std::string> notes;
  const auto model = load_transformer("llama2-70b", notes);
  EXPECT_EQ(model.key_heads, 8U);
  EXPECT_DOUBLE_EQ(elements_of(model).total, 68'976'648'192.0);
  EXPECT_DOUBLE_EQ(elements_of(load_transformer("opt-125m", notes)).total, 125'239'296.0);
}

TEST(LoadTransformer, others_are_refused_with_the_reason) {
  std::vector<std::string> notes;
  try {
    load_transformer("no-such-model", notes);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_NE(std::string(error.what()).find("llama3-405b"), std::string::npos) << "models that are shipped are named";
  }
  EXPECT_THROW(load("{}"), BadUsage);
  EXPECT_THROW(load(R"({"model_type": "mixtral", "hidden_size": 4096})"), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay::megatron
