#include "replay/generate/ds_config_keys.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

TEST(DsConfigKeys, are_found_a_letter_or_two_away) {
  EXPECT_EQ(meant_key("reduce_buckte_size", "zero_optimization"), "reduce_bucket_size");
  EXPECT_EQ(meant_key("cpu_offload_parms", "zero_optimization"), "cpu_offload_params") << "the nearest";
  EXPECT_EQ(meant_key("gradient_acumulation_steps", ""), "gradient_accumulation_steps");
  EXPECT_EQ(meant_key("FP16", ""), "fp16");
  EXPECT_EQ(meant_key("enable", "bf16"), "enabled");
  EXPECT_EQ(meant_key("enable", "bfloat16"), "enabled");
  EXPECT_EQ(meant_key("devise", "offload_optimizer"), "device");
}

TEST(DsConfigKeys, of_the_users_own_are_none_and_far_from_all) {
  EXPECT_TRUE(is_ds_config_key("stage3_max_live_parameters", "zero_optimization"));
  EXPECT_FALSE(is_ds_config_key("train_batch_size", "zero_optimization"));
  EXPECT_TRUE(is_ds_config_key("anything", "wandb")) << "whose keys are not known";
  EXPECT_EQ(meant_key("fp8", ""), "");
  EXPECT_EQ(meant_key("my_own_section", ""), "");
  EXPECT_EQ(meant_key("optimizers", ""), "") << "nothing of the step rests on it";
}

}  // namespace
}  // namespace ringmark::replay
