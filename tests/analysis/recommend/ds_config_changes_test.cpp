#include "analysis/recommend/ds_config_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/ds_config.hpp"

namespace ringmark::analysis {
namespace {

TEST(DsConfigChanges, are_read_by_the_replayer_as_what_was_recommended) {
  const auto changes = ds_config_changes({{"zero", "2"},
                                          {"reduce-bucket", "50000000"},
                                          {"overlap", "none"},
                                          {"grad-accum", "4"},
                                          {"micro-batch", "8"},
                                          {"dtype", "bf16"}});
  const auto config = replay::ds_config_from_json("changes", "// evidence\n" + changes, {}, 1024, 4);
  EXPECT_EQ(config.settings.zero_stage, 2);
  EXPECT_EQ(config.settings.reduce_bucket, 50'000'000U);
  EXPECT_FALSE(config.settings.overlap_comm);
  EXPECT_EQ(config.micro_steps, 4);
  EXPECT_EQ(config.micro_batch, 8U);
  EXPECT_EQ(config.type, DataType::bfloat16);
}

TEST(DsConfigChanges, say_what_no_configuration_can) {
  const auto ideal = ds_config_changes({{"zero", "1"}, {"overlap", "ideal"}});
  EXPECT_THAT(ideal, testing::StartsWith("// overlap"));
  EXPECT_THAT(ideal, testing::Not(testing::HasSubstr("overlap_comm")));
  EXPECT_THAT(ds_config_changes({{"zero", "1"}, {"gradients", "reduce_scatter"}}),
              testing::StartsWith("// gradients by reduce_scatter"));
}

TEST(DsConfigChanges, are_none_where_nothing_is_deepspeeds) {
  EXPECT_EQ(ds_config_changes({{"tcp.sockets", "2"}, {"NCCL_ALGO", "Ring"}}), "");
  EXPECT_EQ(ds_config_changes({{"framework", "megatron"}, {"zero", "1"}}), "");
}

}  // namespace
}  // namespace ringmark::analysis
