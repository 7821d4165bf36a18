#include "replay/generate/torchtitan/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/torchtitan/step.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& text, int ranks = 8) {
  try {
    generate(read_arguments("config", text, ranks).settings);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

constexpr auto toml = R"(
[model]
name = "llama3"   # the family
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 4096
[parallelism]
tensor_parallel_degree = 2
pipeline_parallel_degree = 2
pipeline_parallel_schedule = "1F1B"
[activation_checkpoint]
mode = "full"
)";

TEST(TorchtitanArguments, are_read_from_toml) {
  const auto settings = read_arguments("config", toml, 8).settings;
  EXPECT_EQ(settings.model.layers, 32U);
  EXPECT_EQ(settings.batch, 2U);
  EXPECT_EQ(settings.sequence, 4096U);
  EXPECT_EQ(settings.sizes.tensor, 2);
  EXPECT_EQ(settings.sizes.shards, 2);
  EXPECT_EQ(settings.global_batch, 4U);
  EXPECT_EQ(settings.schedule, Schedule::one_f_one_b);
  EXPECT_TRUE(settings.recomputes);
}

TEST(TorchtitanArguments, are_read_from_a_command_line) {
  const auto settings =
      read_arguments("config",
                     "--module deepseek_v3 --config deepseek_v3_16b\n"
                     "--parallelism.expert_parallel_degree 4 --parallelism.spmd_backend full_dtensor\n"
                     "--parallelism.data_parallel_replicate_degree=2 --activation_checkpoint.mode none",
                     8)
          .settings;
  EXPECT_EQ(settings.model.experts.count, 64);
  EXPECT_EQ(settings.sizes.expert, 4);
  EXPECT_EQ(settings.sizes.replicas, 2);
  EXPECT_EQ(settings.sizes.shards, 4);
  EXPECT_EQ(settings.backend, Backend::full_dtensor);
}

TEST(TorchtitanArguments, are_read_from_a_saved_configuration) {
  const auto settings = read_arguments("config",
                                       R"({"model_spec": {"name": "llama3", "flavor": "debugmodel",
                                           "model": {"dim": 256, "layers": [{}, {}, {}]}},
                                           "training": {"local_batch_size": 4, "seq_len": 128},
                                           "parallelism": {"module_fqns_per_model_part": null},
                                           "activation_checkpoint": null})",
                                       2)
                            .settings;
  EXPECT_EQ(settings.model.layers, 3U);
  EXPECT_EQ(settings.sizes.shards, 2);
  EXPECT_EQ(settings.global_batch, 8U);
}

TEST(TorchtitanArguments, may_have_the_first_layers_alone) {
  EXPECT_EQ(read_arguments("config", R"({"config": "llama3_debugmodel", "layers": 4})", 2).settings.model.layers, 4U);
  EXPECT_EQ(read_arguments("config", R"({"config": "llama3_debugmodel", "layers": 9})", 2).settings.model.layers, 6U);
}

/// Of the products of a Llama's layer, by their operations: keys, attention's output and one of three in the MLP.
TEST(TorchtitanArguments, recompute_every_second_product_by_default) {
  const auto operations = [](const std::string& mode, Phase phase) {
    double sum = 0;
    for (const auto& pass :
         generate(read_arguments("config", "--module llama3 --config llama3_8b " + mode, 8).settings).passes) {
      for (const auto& event : pass.events) sum += event.phase == phase ? event.flops : 0;
    }
    return sum;
  };
  const double tokens = 8192, keys = 4096 * 1024.0, output = 4096 * 4096.0, third = 4096 * 14336.0;
  EXPECT_DOUBLE_EQ(operations("", Phase::recompute), 2 * tokens * 32 * (keys + output + third));
  EXPECT_EQ(operations("--activation_checkpoint.mode none", Phase::recompute), 0);
}

TEST(TorchtitanArguments, name_what_is_not_modelled) {
  const std::string model = "--module llama3 --config llama3_8b ";
  EXPECT_THAT(refusal_of(model + "--parallelism.enable_fsdp_symm_mem true"), HasSubstr("enable_fsdp_symm_mem"));
  EXPECT_EQ(refusal_of(model + "--parallelism.enable_fsdp_symm_mem false"), "");
  EXPECT_THAT(refusal_of(model + "--parallelism.tensor_parallel_degree many"), HasSubstr("tensor_parallel_degree"));
  EXPECT_THAT(refusal_of(model + "--parallelism.pipeline_parallel_schedule Best"), HasSubstr("Best"));
  EXPECT_THAT(refusal_of("--module qwen3 --config qwen3_14b"), HasSubstr("qwen3"));
  EXPECT_THAT(refusal_of("[model]\nname"), HasSubstr("config:2"));
  EXPECT_THAT(refusal_of(model + "--parallelism.expert_parallel_degree 2"), HasSubstr("experts"));
  EXPECT_THAT(refusal_of(model + "--parallelism.data_parallel_shard_degree 3"),
              HasSubstr("data_parallel_shard_degree 3"));
  EXPECT_EQ(read_arguments("config", model + "--new.key 1", 8).notes.size(), 1U);
  EXPECT_THAT(read_arguments("config", model + "--parallelism.tensor_paralel_degree 2", 8).notes,
              testing::ElementsAre(HasSubstr("did you mean parallelism.tensor_parallel_degree?")));
}

}  // namespace
}  // namespace ringmark::replay::torchtitan
