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
  EXPECT_EQ(meant_key("devise", "zero_optimization.offload_optimizer"), "device");
}

TEST(DsConfigKeys, of_the_users_own_are_unknown_and_far_from_all) {
  EXPECT_EQ(class_of_ds_config_key("stage3_max_live_parameters", "zero_optimization"), KeyClass::modelled);
  EXPECT_EQ(class_of_ds_config_key("train_batch_size", "zero_optimization"), std::nullopt);
  EXPECT_EQ(class_of_ds_config_key("anything", "optimizer.params"), KeyClass::no_effect) << "the optimizer's own";
  EXPECT_EQ(class_of_ds_config_key("num_epochs", "data_efficiency.data_sampling"), KeyClass::no_effect);
  EXPECT_EQ(class_of_ds_config_key("enabled", "bfloat16"), KeyClass::modelled);
  EXPECT_EQ(meant_key("fp8", ""), "");
  EXPECT_EQ(meant_key("my_own_section", ""), "");
  EXPECT_EQ(meant_key("optimizers", ""), "optimizer");
}

}  // namespace
}  // namespace ringmark::replay
