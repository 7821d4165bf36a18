#include "bench/replay/generate/ds_config_keys.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

TEST(DsConfigKeys, are_found_a_letter_or_two_away) {
  EXPECT_EQ(meant_key("reduce_buckte_size", true), "reduce_bucket_size");
  EXPECT_EQ(meant_key("gradient_acumulation_steps", false), "gradient_accumulation_steps");
  EXPECT_EQ(meant_key("zero_optimisation", false), "zero_optimization");
  EXPECT_EQ(meant_key("stages", true), "stage");
}

TEST(DsConfigKeys, that_are_deep_speeds_or_the_users_own_pass) {
  EXPECT_EQ(meant_key("fp8", false), "");
  EXPECT_EQ(meant_key("fp16", false), "");
  EXPECT_EQ(meant_key("my_own_section", false), "");
  EXPECT_TRUE(is_zero_key("stage3_max_live_parameters"));
  EXPECT_FALSE(is_zero_key("train_batch_size"));
}

}  // namespace
}  // namespace ringmark::replay
