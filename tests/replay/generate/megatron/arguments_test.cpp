#include "replay/generate/megatron/arguments.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/megatron/step.hpp"

namespace ringmark::replay::megatron {
namespace {

const std::string small =
    "--num-layers 4 --hidden-size 64 --num-attention-heads 8 --vocab-size 500 --seq-length 64 --micro-batch-size 1 "
    "--bf16\n--max-position-embeddings 64\n";

Settings settings_of(const std::string& text, int ranks = 8) { return read_arguments("args", text, ranks).settings; }

/// The problems of the arguments.
std::string refusal_of(const std::string& text, int ranks = 8) {
  try {
    check(settings_of(text, ranks));
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(MegatronArguments, of_a_file_without_an_end_are_refused) {
  for (const std::string odd : {"/dev/zero", "/dev/full", "/", "/no/such/file"})
    EXPECT_THROW(read_arguments(odd, 8), BadUsage) << odd;
}

TEST(MegatronArguments, give_the_model) {
  const auto model = settings_of(small +
                                 "--swiglu --untie-embeddings-and-output-weights --normalization RMSNorm "
                                 "--group-query-attention --num-query-groups 2 --disable-bias-linear")
                         .model;
  EXPECT_EQ(model.feed_forward, 128U) << "two thirds of 4 × 64, in units of 64";
  EXPECT_EQ(model.vocabulary, 512U) << "padded";
  EXPECT_EQ(model.key_heads, 2U);
  EXPECT_EQ(model.head_width, 8U);
  EXPECT_FALSE(model.is_tied);
  EXPECT_FALSE(model.has_norm_biases);
  EXPECT_FALSE(model.has_biases);
  EXPECT_EQ(model.positions, 64U);
}

TEST(MegatronArguments, pad_the_vocabulary_for_all_tensor_ranks) {
  EXPECT_EQ(settings_of(small + "--tensor-model-parallel-size 8").model.vocabulary, 1024U);
}

TEST(MegatronArguments, give_sizes_and_batch) {
  const auto settings = settings_of(small +
                                    "--tensor-model-parallel-size=2 --pipeline-model-parallel-size 2 \\\n"
                                    "--sequence-parallel  # a comment\n--global-batch-size '16'");
  EXPECT_EQ(settings.sizes.tensor, 2);
  EXPECT_EQ(settings.data_parallel(), 2);
  EXPECT_EQ(settings.micro_batches(), 8);
  EXPECT_TRUE(settings.sizes.shards_sequence);
}

TEST(MegatronArguments, name_what_is_wrong) {
  EXPECT_NE(refusal_of("--num-layers 4").find("--hidden-size is missing"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--num-layers four").find("--num-layers four"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--mtp-num-layers 1").find("--mtp-num-layers"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--tensor-model-parallel-size 3").find("8 ranks"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--global-batch-size 7").find("global batch of 7"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--pipeline-model-parallel-size 8").find("4 layers"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--overlap-param-gather").find("--use-distributed-optimizer"), std::string::npos);
  EXPECT_NE(
      refusal_of(small + "--tensor-model-parallel-size 65536 --pipeline-model-parallel-size 65536").find("8 ranks"),
      std::string::npos)
      << "the product of both is no int";
  EXPECT_NE(refusal_of(small + "--num-layers-per-virtual-pipeline-stage 0").find("number from 1"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--optimizer sgd").find("--optimizer sgd"), std::string::npos);
  EXPECT_NE(refusal_of(small + "--use-legacy-models").find("not modelled"), std::string::npos);
  EXPECT_EQ(refusal_of(small), "");
}

TEST(MegatronArguments, list_layers_of_experts_as_python_does) {
  const auto layers_of = [](const std::string& text) {
    return settings_of(small + "--num-experts 8 --moe-layer-freq " + text).model.experts.of_layers;
  };
  EXPECT_EQ(layers_of("([0]*1+[1]*3)"), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(layers_of("[0, 1]*2"), (std::vector<bool>{false, true, false, true}));
  for (const char* wrong : {"[", "[2]", "[0]*", "([0]", "[0]+", "[1]*99999999"})
    EXPECT_NE(refusal_of(small + "--moe-layer-freq " + wrong).find("--moe-layer-freq"), std::string::npos) << wrong;
  EXPECT_NE(refusal_of(small + "--moe-layer-freq [0,1]").find("lists 2 layers"), std::string::npos);
}

TEST(MegatronArguments, note_what_is_unknown) {
  const auto arguments = read_arguments("args", small + "--no-such-argument 3 --save /tmp/x --log-interval 1", 8);
  ASSERT_EQ(arguments.notes.size(), 1U);
  EXPECT_NE(arguments.notes[0].find("--no-such-argument"), std::string::npos);
  EXPECT_EQ(arguments.notes[0].find("did you mean"), std::string::npos);
  const auto misspelled = read_arguments("args", small + "--global-batch-sise 16", 8).notes;
  ASSERT_EQ(misspelled.size(), 1U);
  EXPECT_NE(misspelled[0].find("did you mean --global-batch-size?"), std::string::npos) << misspelled[0];
}

TEST(MegatronArguments, refuse_what_changes_layers_and_types) {
  for (const char* argument :
       {"--heterogeneous-layers-config-path x.json", "--hybrid-layer-pattern M*", "--linear-attention-freq 4",
        "--fp8-param-gather", "--fp4-param-gather", "--ddp-reduce-scatter-with-fp32-accumulation",
        "--use-precision-aware-optimizer", "--exp-avg-dtype bf16", "--main-grads-dtype bf16", "--yaml-cfg x.yaml"})
    EXPECT_NE(refusal_of(small + argument).find("not modelled"), std::string::npos) << argument;
  EXPECT_EQ(refusal_of(small + "--exp-avg-dtype fp32 --main-grads-dtype fp32"), "");
}

TEST(MegatronStep, the_last_stage_tells_the_number_of_tokens) {
  const auto trace = generate(settings_of(small + "--pipeline-model-parallel-size 4 --calculate-per-token-loss"));
  int found = 0;
  for (const auto& pass : trace.passes) {
    for (const auto& event : pass.events) {
      if (event.tag != "tokens" || event.collective != Collective::broadcast) continue;
      EXPECT_EQ(event.root, 3);
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

TEST(MegatronStep, parts_of_a_pipeline_are_stored_once) {
  const auto trace =
      generate(settings_of(small + "--num-layers 32 --pipeline-model-parallel-size 8 --global-batch-size 64 "
                                   "--tensor-model-parallel-size 2",
                           16));
  EXPECT_EQ(trace.roles.size(), 8U);
  std::size_t plays = 0;
  for (const auto& role : trace.roles) plays += role.plays.size();
  EXPECT_GT(plays, 8U * 2U * 64U);
  EXPECT_LT(trace.passes.size(), 80U) << "stages in the middle share their passes";
}

/// The host's time for layers of experts in one micro-batch.
double host_us(const std::string& more) {
  const std::string model =
      "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --vocab-size 500 --seq-length 64 --micro-batch-size 1 "
      "--num-experts 4 --bf16 ";
  double sum = 0;
  for (const auto& pass : generate(read_arguments("args", model + more, 1).settings).passes) {
    for (const auto& event : pass.events) sum += event.host_us;
  }
  return sum;
}

TEST(MegatronArguments, graphs_launch_layers_whose_tokens_are_known) {
  const double all = host_us("");
  EXPECT_GT(all, 0);
  const std::string padded = "--moe-expert-capacity-factor 1 --moe-pad-expert-input-to-capacity ";
  EXPECT_EQ(host_us(padded), all);
  for (const std::string graphs : {"--enable-cuda-graph", "--external-cuda-graph", "--cuda-graph-impl local",
                                   "--cuda-graph-impl transformer_engine --cuda-graph-scope attn moe_router"}) {
    EXPECT_EQ(host_us(graphs), all) << graphs;
    EXPECT_EQ(host_us(padded + graphs), 0) << graphs;
  }
  EXPECT_EQ(host_us("--cuda-graph-impl local --cuda-graph-scope full_iteration"), 0);
  EXPECT_EQ(host_us("--cuda-graph-impl none"), all);
}

}  // namespace
}  // namespace ringmark::replay::megatron
