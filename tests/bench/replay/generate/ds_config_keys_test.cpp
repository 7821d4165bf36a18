#include "bench/replay/generate/ds_config_keys.hpp"

#include <gmock/gmock.h>

#include "bench/replay/generate/ds_config.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DsConfig read(const std::string& text) { return ds_config_from_json("ds.json", text, Framework{}, 0, 4); }

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(DsConfigKeys, that_are_misspelt_are_refused_with_what_was_meant) {
  EXPECT_THAT(
      refusal(R"({"zero_optimization": {"reduce_buckte_size": 5e7}})"),
      HasSubstr("zero_optimization: reduce_buckte_size: is no key of DeepSpeed's; did you mean reduce_bucket_size?"));
  EXPECT_THAT(refusal(R"({"gradient_acumulation_steps": 4})"), HasSubstr("did you mean gradient_accumulation_steps?"));
  EXPECT_THAT(refusal(R"({"zero_optimisation": {}})"), HasSubstr("did you mean zero_optimization?"));
}

TEST(DsConfigKeys, that_are_deep_speeds_or_the_users_own_pass) {
  EXPECT_EQ(meant_key("fp8", false), "");
  EXPECT_EQ(meant_key("my_own_section", false), "");
  EXPECT_TRUE(is_zero_key("stage3_max_live_parameters"));
  EXPECT_EQ(refusal(R"({"optimizer": {"type": "AdamW"}, "wandb": {}, "zero_optimization": {"stage": 1}})"), "");
  EXPECT_THAT(read(R"({"zero_optimization": {"of_another_version": 1}})").notes,
              ElementsAre(HasSubstr("of_another_version is not known, and left out")));
}

}  // namespace
}  // namespace ringmark::replay
