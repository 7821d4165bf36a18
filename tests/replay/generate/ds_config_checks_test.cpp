#include "replay/generate/ds_config_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replay/generate/ds_config_text.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DsConfigs, are_told_from_other_programs_files) {
  EXPECT_THAT(config_refusal(R"({"model_type": "llama", "hidden_size": 64})"), HasSubstr("give it with --model"));
  EXPECT_THAT(config_refusal(R"({"compute_environment": "LOCAL_MACHINE"})"), HasSubstr("no setting of DeepSpeed"));
  EXPECT_EQ(config_refusal(R"({"steps_per_print": 10, "my_own": 1})"), "");
}

TEST(DsConfigs, of_other_versions_are_read_and_what_is_unknown_is_told) {
  EXPECT_EQ(config_refusal(R"({"optimizer": {"type": "AdamW"}, "my_own": {}, "zero_optimization": {"stage": 1}})"), "");
  EXPECT_THAT(read_config(R"({"zero_optimization": {"of_another_version": 1}})").notes,
              ElementsAre(HasSubstr("of_another_version")));
  EXPECT_TRUE(read_config(R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})").settings.offloads_optimizer);
  EXPECT_TRUE(read_config(R"({"zero_optimization": {"stage": 3, "use_all_reduce_for_fetch_params": true}})")
                  .settings.fetches_by_all_reduce);
}

}  // namespace
}  // namespace ringmark::replay
