#include "replay/generate/ds_config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replay/generate/ds_config_text.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(DsConfigs, have_deep_speeds_defaults) {
  const auto config = read_config("{}");
  EXPECT_EQ(config.settings.zero_stage, 0);
  EXPECT_EQ(config.type, DataType::float32);
  EXPECT_FALSE(config.micro_steps);
  EXPECT_TRUE(read_config(R"({"zero_optimization": {"stage": 3}})").settings.overlap_comm);
  EXPECT_FALSE(read_config(R"({"zero_optimization": {"stage": 2}})").settings.overlap_comm);
}

TEST(DsConfigs, are_read_as_deep_speed_reads_them) {
  const auto config = read_config(R"({"bf16": {"enabled": true}, "gradient_accumulation_steps": 8,
    "train_micro_batch_size_per_gpu": 4, "communication_data_type": "fp32",
    "zero_optimization": {"stage": 3, "reduce_bucket_size": 5e7, "overlap_comm": false,
                          "offload_optimizer": {"device": "cpu"}}})");
  EXPECT_EQ(config.type, DataType::bfloat16);
  EXPECT_EQ(config.micro_steps, 8);
  EXPECT_EQ(config.micro_batch, 4U);
  EXPECT_EQ(config.settings.reduce_bucket, 50'000'000U);
  EXPECT_EQ(config.settings.gradient_type(), DataType::float32);
  EXPECT_FALSE(config.settings.overlap_comm);
  EXPECT_THAT(config.notes, ElementsAre(HasSubstr("offload_optimizer")));
  EXPECT_TRUE(config.settings.offloads_optimizer);
}

TEST(DsConfigs, leave_clipping_to_the_version_where_they_do_not_tell) {
  EXPECT_EQ(read_config("{}").settings.clips_gradients, std::nullopt);
  EXPECT_EQ(read_config(R"({"gradient_clipping": 0.0})").settings.clips_gradients, false);
  EXPECT_EQ(read_config(R"({"gradient_clipping": 0.5})").settings.clips_gradients, true);
  EXPECT_EQ(read_config(R"({"gradient_clipping": "auto"})").settings.clips_gradients, true);
}

TEST(DsConfigs, take_hugging_faces_auto_from_the_models_width) {
  const std::string text = R"({"zero_optimization": {"stage": 3, "reduce_bucket_size": "auto",
    "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}})";
  const auto settings = read_config(text, 1000).settings;
  EXPECT_EQ(settings.reduce_bucket, 1'000'000U);
  EXPECT_EQ(settings.prefetch_bucket, 900'000U);
  EXPECT_EQ(settings.persistence_threshold, 10'000U);
}

TEST(DsConfigs, may_bound_what_persists_in_the_whole_model) {
  const auto threshold = [](const std::string& value) {
    return read_config(R"({"zero_optimization": {"stage": 3, "stage3_model_persistence_threshold": )" + value + "}}")
        .settings.model_persistence_threshold;
  };
  EXPECT_EQ(threshold("1e5"), 100'000U);
  EXPECT_EQ(threshold("9223372036854775807"), StepSettings{}.model_persistence_threshold);
}

TEST(DsConfigs, derive_what_is_missing_of_the_batch) {
  EXPECT_EQ(read_config(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4})").micro_steps, 4);
  EXPECT_EQ(read_config(R"({"train_batch_size": 64, "gradient_accumulation_steps": 2})").micro_batch, 8U);
  EXPECT_EQ(read_config(R"({"train_batch_size": 64})").micro_batch, 16U);
}

TEST(DsConfigs, are_refused_with_the_key) {
  EXPECT_THAT(config_refusal(R"({"train_batch_size": 10})"), HasSubstr("train_batch_size 10"));
  EXPECT_THAT(config_refusal(
                  R"({"train_batch_size": 64, "gradient_accumulation_steps": 2, "train_micro_batch_size_per_gpu": 4})"),
              HasSubstr("train_batch_size 64"));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": )" + std::string(5000, '[')), HasSubstr("nested"));
  EXPECT_THAT(config_refusal("{,}"), HasSubstr("not JSON"));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"stage": 4}})"), HasSubstr("stage 4"));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"stage": "two"}})"), HasSubstr("stage: "));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"overlap_comm": 2}})"),
              HasSubstr("overlap_comm: expected true"));
  EXPECT_THAT(config_refusal(R"({"train_batch_size": "8"})"), HasSubstr("train_batch_size: "));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"stage": 1, "stage": 2}})"), HasSubstr("stage: appears twice"));
  EXPECT_THAT(config_refusal(R"({"bf16": {"enabled": true}, "fp16": {"enabled": true}})"), HasSubstr("both enabled"));
  EXPECT_THAT(config_refusal(R"({"gradient_accumulation_steps": 0})"), HasSubstr("from 1"));
  EXPECT_THAT(config_refusal(R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1099511627776,
                          "gradient_accumulation_steps": 16777216})"),
              HasSubstr("train_micro_batch_size_per_gpu 1099511627776: "))
      << "whose product is 0";
  EXPECT_THAT(config_refusal(R"({"gradient_clipping": "much"})"), HasSubstr("gradient_clipping: "));
  EXPECT_THAT(config_refusal(R"({"communication_data_type": "fp8"})"), HasSubstr("expected fp32"));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"reduce_bucket_size": 1e40}})"),
              HasSubstr("reduce_bucket_size"));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"reduce_buckte_size": 5e7}})"),
              AllOf(HasSubstr("zero_optimization: reduce_buckte_size"), HasSubstr("reduce_bucket_size")));
  EXPECT_THAT(config_refusal(R"({"bf16": {"enable": true}})"), HasSubstr("bf16: enable: "));
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"offload_optimizer": {"devise": "cpu"}}})"),
              HasSubstr("device?"));
  EXPECT_THAT(config_refusal(R"({"train_batchsize": 4})"), HasSubstr("train_batch_size?"));
}

TEST(DsConfigs, name_the_ranks_that_fit_the_batch) {
  EXPECT_THAT(config_refusal(R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 32})"),
              HasSubstr("--ranks 1"));
  EXPECT_THAT(config_refusal(R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 3})"),
              Not(HasSubstr("--ranks")));
}

TEST(DsConfigs, take_pydantics_words_for_truth_and_numbers) {
  const auto zero = [](const std::string& settings) {
    return read_config(fmt::format(R"({{"zero_optimization": {{"stage": "2", {}}}}})", settings)).settings;
  };
  EXPECT_EQ(zero(R"("overlap_comm": "True")").zero_stage, 2);
  EXPECT_TRUE(zero(R"("overlap_comm": "True")").overlap_comm);
  EXPECT_TRUE(zero(R"("overlap_comm": 1)").overlap_comm);
  EXPECT_FALSE(zero(R"("contiguous_gradients": "off")").contiguous_gradients);
}

TEST(DsConfigs, have_deep_speeds_names_of_types) {
  for (const char* name : {"fp32", "float32", "float", "torch.float32"})
    EXPECT_TRUE(read_config(fmt::format(R"({{"data_types": {{"grad_accum_dtype": "{}"}}}})", name))
                    .settings.accumulates_in_float32);
  EXPECT_FALSE(read_config(R"({"data_types": {"grad_accum_dtype": "bf16"}})").settings.accumulates_in_float32);
  EXPECT_THAT(config_refusal(R"({"data_types": {"grad_accum_dtype": "bogus"}})"),
              HasSubstr("grad_accum_dtype: expected fp32"));
}

TEST(DsConfigs, with_auto_where_nobody_knows_the_number_are_refused) {
  EXPECT_THAT(config_refusal(R"({"zero_optimization": {"stage": "auto"}})"), HasSubstr("stage: auto:"));
  EXPECT_FALSE(read_config(R"({"train_batch_size": "auto", "gradient_accumulation_steps": "auto"})").micro_steps)
      << "flags say it";
}

TEST(DsConfigs, with_auto_that_no_application_replaces_have_deep_speeds_defaults) {
  const auto plain = read_config(R"({"zero_optimization": {"stage": 3}})");
  const auto with_auto = read_config(R"({"zero_optimization": {"stage": 3, "sub_group_size": "auto",
    "stage3_max_live_parameters": "auto", "stage3_max_reuse_distance": "auto", "overlap_comm": "auto",
    "contiguous_gradients": "auto", "offload_optimizer": {"device": "auto"}}})");
  EXPECT_EQ(with_auto.settings.sub_group, plain.settings.sub_group);
  EXPECT_EQ(with_auto.settings.max_live, plain.settings.max_live);
  EXPECT_EQ(with_auto.settings.max_reuse_distance, plain.settings.max_reuse_distance);
  EXPECT_TRUE(with_auto.settings.overlap_comm);
  EXPECT_EQ(with_auto.settings.contiguous_gradients, plain.settings.contiguous_gradients);
  EXPECT_FALSE(with_auto.settings.offloads_optimizer);
}

TEST(DsConfigs, with_auto_that_no_flag_settles_say_what_is_taken) {
  const std::string text = R"({"gradient_accumulation_steps": "auto", "train_micro_batch_size_per_gpu": "auto"})";
  EXPECT_THAT(read_config(text).notes,
              testing::UnorderedElementsAre(HasSubstr("gradient_accumulation_steps: auto"),
                                            HasSubstr("train_micro_batch_size_per_gpu: auto")));
  const GivenByFlags given{.micro_steps = 4, .micro_batch = 2};
  EXPECT_THAT(ds_config_from_json("ds.json", text, Framework{}, 0, 4, given).notes, testing::IsEmpty());
  EXPECT_THAT(read_config(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4,
                              "gradient_accumulation_steps": "auto"})")
                  .notes,
              testing::IsEmpty());
  EXPECT_THAT(read_config(R"({"amp": {"enabled": true}})").notes, testing::ElementsAre(HasSubstr("float32")));
}

TEST(DsConfigs, with_auto_take_the_flags_values) {
  const auto given = [](const std::string& text, const GivenByFlags& flags) {
    return ds_config_from_json("ds.json", text, Framework{}, 0, 4, flags);
  };
  const std::string both = R"({"fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}})";
  for (const auto type : {DataType::bfloat16, DataType::float16, DataType::float32}) {
    EXPECT_EQ(given(both, {.type = type}).type, type);
    EXPECT_THAT(given(both, {.type = type}).flags, ElementsAre("--dtype"));
  }
  EXPECT_THAT(config_refusal(both), AllOf(HasSubstr("bf16: enabled: auto"), HasSubstr("--dtype")));
  EXPECT_EQ(given(R"({"zero_optimization": {"stage": "auto"}})", {.zero_stage = 2}).settings.zero_stage, 2);
  EXPECT_EQ(
      given(R"({"zero_optimization": {"reduce_bucket_size": "auto"}})", {.reduce_bucket = 7}).settings.reduce_bucket,
      7U);
  EXPECT_EQ(given(R"({"gradient_clipping": "auto"})", {.clips_gradients = false}).settings.clips_gradients, false);
  EXPECT_THAT(given("{}", {.type = DataType::float16, .zero_stage = 1}).flags, testing::IsEmpty());
}

TEST(DsConfigs, may_offload_a_part_of_the_optimizer) {
  const auto offload = [](const std::string& stage, const std::string& ratio) {
    return R"({"zero_optimization": {"stage": )" + stage + R"(, "sub_group_size": 1e8,
      "offload_optimizer": {"device": "cpu", "ratio": )" +
           ratio + "}}}";
  };
  EXPECT_DOUBLE_EQ(read_config(offload("3", "0.3")).settings.offloaded_ratio, 0.3);
  EXPECT_THAT(config_refusal(offload("2", "0.3")), HasSubstr("ratio: 0.3"));
  EXPECT_THAT(config_refusal(offload("3", "30")), HasSubstr("from 0 to 1"));
  EXPECT_THAT(read_config(R"({"zero_optimization": {"stage": 3, "cpu_offload_params": true}})").notes,
              ElementsAre(HasSubstr("offload_param")));
}

TEST(DsConfigs, are_hjson) {
  const auto config = read_config(
      "{ # a comment\n \"gradient_accumulation_steps\": 8, // another, with ]\n"
      "\"my\": [1, 2, /* , */ ], \"its\": \"# no comment, }\", }");
  EXPECT_EQ(config.micro_steps, 8);
  EXPECT_THAT(config_refusal("{\"a\": 1,, }"), HasSubstr("not JSON"));
}

TEST(DsConfigs, may_give_each_tensor_a_group_of_its_own) {
  EXPECT_EQ(read_config(R"({"zero_optimization": {"stage": 3, "sub_group_size": 0}})").settings.sub_group, 1U);
}

TEST(DsConfigs, with_what_is_not_modelled_say_so) {
  EXPECT_THAT(read_config(R"({"optimizer": {"type": "OnebitAdam"}, "compile": {"deepcompile": true}})").notes,
              UnorderedElementsAre(HasSubstr("OnebitAdam"), HasSubstr("deepcompile")));
  EXPECT_EQ(read_config(R"({"communication_data_type": "FP16"})").settings.gradient_type(), DataType::float16);
  EXPECT_THAT(read_config(R"({"torch_autocast": {"enabled": true}, "optimizer": {"type": "OneBitAdam"}})").notes,
              ElementsAre(HasSubstr("torch_autocast"), HasSubstr("OneBitAdam")));
  EXPECT_THAT(read_config(R"({"torch_autocast": {"enabled": false}, "optimizer": {"type": "Adam"}})").notes,
              testing::IsEmpty());
}

}  // namespace
}  // namespace ringmark::replay
