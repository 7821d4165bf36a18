#include "replay/generate/ds_config_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replay/generate/ds_config_text.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DsConfigs, are_told_from_other_programs_files) {
  EXPECT_THAT(config_refusal(R"({"model_type": "llama", "hidden_size": 64})"), HasSubstr("give it with --model"));
  EXPECT_THAT(config_refusal(R"({"compute_environment": "LOCAL_MACHINE"})"), HasSubstr("no setting of DeepSpeed"));
  EXPECT_EQ(config_refusal(R"({"steps_per_print": 10, "my_own": 1})"), "");
}

TEST(DsConfigs, of_other_versions_are_read_and_what_is_unknown_is_told) {
  EXPECT_THAT(read_config(R"({"optimizer": {"type": "AdamW"}, "my_own": {}, "zero_optimization": {"stage": 1}})").notes,
              ElementsAre(HasSubstr("my_own")));
  EXPECT_THAT(read_config(R"({"zero_optimization": {"of_another_version": 1}})").notes,
              ElementsAre(HasSubstr("of_another_version")));
  EXPECT_THAT(read_config(R"({"comms_logger": {"enabled": false, "verbos": true}, "train_batch_size": 4})").notes,
              ElementsAre(AllOf(HasSubstr("comms_logger: verbos"), HasSubstr("verbose?"))))
      << "no misspelling changes the step there";
  EXPECT_TRUE(read_config(R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})").settings.offloads_optimizer);
  EXPECT_TRUE(read_config(R"({"zero_optimization": {"stage": 3, "use_all_reduce_for_fetch_params": true}})")
                  .settings.fetches_by_all_reduce);
}

TEST(DsConfigs, of_parallelism_within_a_sample_are_refused) {
  EXPECT_THAT(config_refusal(R"({"sequence_parallel_size": 2, "data_parallel_size": 2})"),
              HasSubstr("sequence_parallel_size: 2"));
  EXPECT_THAT(config_refusal(R"({"tensor_parallel": {"autotp_size": 2}})"),
              HasSubstr("tensor_parallel: autotp_size: 2"));
  EXPECT_THAT(config_refusal(R"({"pipeline": {"stages": 2}})"), HasSubstr("pipeline: stages: 2"));
  EXPECT_THAT(config_refusal(R"({"sequence_parallel_size": 1, "data_parallel_size": 8})"), HasSubstr("--ranks 8"));
  EXPECT_THAT(read_config(R"({"sequence_parallel_size": 1, "data_parallel_size": 4, "pipeline": {"stages": "auto"},
                              "tensor_parallel": {"autotp_size": 1}})")
                  .notes,
              IsEmpty())
      << "of 4 ranks";
  EXPECT_THAT(read_config(R"({"data_parallel_size": 8})").notes, ElementsAre(HasSubstr("data_parallel_size 8")));
}

TEST(DsConfigs, whose_memory_would_be_counted_wrong_are_refused) {
  const auto zero = [](const std::string& settings) {
    return config_refusal(R"({"zero_optimization": {"stage": 3, )" + settings + "}}");
  };
  EXPECT_THAT(zero(R"("mics_shard_size": 4)"), HasSubstr("mics_shard_size: 4"));
  EXPECT_EQ(zero(R"("mics_shard_size": -1, "mics_hierarchical_params_gather": false)"), "");
  EXPECT_THAT(zero(R"("zenflow": {"topk_ratio": 0.05})"), HasSubstr("zenflow"));
  EXPECT_THAT(zero(R"("zeropp_loco_param": {"err_beta": 0.8})"), HasSubstr("zeropp_loco_param"));
}

TEST(DsConfigs, with_sections_that_are_switched_off_are_read_in_silence) {
  EXPECT_THAT(read_config(R"({"elasticity": {"enabled": false, "max_train_batch_size": 2000},
      "data_efficiency": {"enabled": false, "data_sampling": {"enabled": true}},
      "compression_training": {"weight_quantization": {"shared_parameters": {"enabled": false},
                                                       "different_groups": {"wq1": {"params": {"start_bits": 8}}}}},
      "comms_logger": {"enabled": false, "prof_all": true}, "flops_profiler": {"enabled": true},
      "wall_clock_breakdown": false, "torch_autocast": null, "optimizer": {"type": "AdamW", "params": {"lr": 1}}})")
                  .notes,
              IsEmpty());
  EXPECT_THAT(read_config(R"({"compression_training": {"weight_quantization": {"shared_parameters": {"enabled": true}}},
      "optimizer": {"type": "Muon"}, "data_efficiency": {"enabled": true}})")
                  .notes,
              testing::UnorderedElementsAre(HasSubstr("compression_training"), HasSubstr("Muon"),
                                            HasSubstr("data_efficiency")));
}

}  // namespace
}  // namespace ringmark::replay
