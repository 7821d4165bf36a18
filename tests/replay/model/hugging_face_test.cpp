#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/model/modules.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

TEST(HuggingFaceConfig, gives_the_same_model) {
  const auto read = [](const char* text) { return make_model(architecture_from_config("config.json", text)); };
  EXPECT_EQ(read(R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192})")
                .parameters,
            load_model("llama-8b").parameters);
  EXPECT_EQ(read(R"({"model_type": "gpt2", "n_layer": 18, "n_embd": 1536, "n_head": 12, "n_positions": 2048,
    "n_inner": null, "vocab_size": 50257})")
                .parameters,
            load_model("cerebras-590m").parameters);
  EXPECT_EQ(read(R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768, "ffn_dim": 3072,
    "num_attention_heads": 12, "vocab_size": 50272, "max_position_embeddings": 2048})")
                .parameters,
            load_model("opt-125m").parameters);
}

// The defaults of transformers 5.24's configuration classes.
TEST(HuggingFaceConfigs, have_their_librarys_defaults) {
  const auto read = [](const char* text) {
    auto architecture = architecture_from_config("config.json", text);
    architecture.defaults_taken.clear();
    return architecture;
  };
  using enum Architecture::Family;
  EXPECT_EQ(read(R"({"model_type": "llama"})"),
            (Architecture{"config", llama, 32, 4096, 11008, 32, 32, 32000, 2048, false}));
  EXPECT_EQ(read(R"({"model_type": "opt"})"), (Architecture{"config", opt, 12, 768, 3072, 12, 12, 50272, 2048, true}));
  EXPECT_EQ(read(R"({"model_type": "gpt2"})"),
            (Architecture{"config", gpt2, 12, 768, 3072, 12, 12, 50257, 1024, true}));
  EXPECT_EQ(read(R"({"model_type": "gpt2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
      "max_position_embeddings": 32})"),
            (Architecture{"config", gpt2, 2, 64, 256, 4, 4, 50257, 32, true}))
      << "by their second names";
}

TEST(HuggingFaceConfig, tells_the_sizes_that_it_leaves_out) {
  const auto defaults_taken = [](const char* text) {
    return architecture_from_config("config.json", text).defaults_taken;
  };
  using testing::ElementsAre;
  EXPECT_THAT(defaults_taken(R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
      "num_attention_heads": 32, "vocab_size": 128256, "max_position_embeddings": 131072})"),
              ElementsAre("num_hidden_layers 32"));
  EXPECT_THAT(defaults_taken(R"({"model_type": "gpt2", "n_layer": 12, "hidden_size": 768, "n_head": 12,
      "n_positions": 1024, "vocab_size": 50257})"),
              ElementsAre());
}

TEST(HuggingFaceConfig, has_windows_of_attention_in_the_layers_that_the_file_names) {
  const auto windows = [](const std::string& text) {
    return testing_support::attention_windows(make_model(architecture_from_config("config.json", text)));
  };
  using testing::ElementsAre;
  EXPECT_THAT(windows(R"({"model_type": "mistral", "num_hidden_layers": 3, "sliding_window": 4096})"),
              ElementsAre(4096, 4096, 4096));
  EXPECT_THAT(windows(R"({"model_type": "mistral", "num_hidden_layers": 2, "sliding_window": null})"),
              ElementsAre(0, 0));
  EXPECT_THAT(windows(R"({"model_type": "mistral", "num_hidden_layers": 1})"), ElementsAre(4096)) << "the default";
  EXPECT_THAT(windows(R"({"model_type": "llama", "num_hidden_layers": 1, "sliding_window": 512,
                         "use_sliding_window": true})"),
              ElementsAre(0))
      << "Llama has no windows";
  EXPECT_THAT(windows(R"({"model_type": "qwen2", "num_hidden_layers": 2, "use_sliding_window": true,
                         "max_window_layers": 1})"),
              ElementsAre(0, 4096));
  EXPECT_THAT(windows(R"({"model_type": "qwen2", "num_hidden_layers": 3, "sliding_window": 1024,
                         "max_window_layers": 2})"),
              ElementsAre(0, 0, 0))
      << "use_sliding_window is false";
  EXPECT_THAT(windows(R"({"model_type": "qwen2", "num_hidden_layers": 3, "sliding_window": 1024,
                         "max_window_layers": 2, "use_sliding_window": true})"),
              ElementsAre(0, 0, 1024));
  EXPECT_THAT(windows(R"({"model_type": "qwen3", "num_hidden_layers": 2, "sliding_window": 1024,
                         "max_window_layers": 0, "use_sliding_window": true})"),
              ElementsAre(1024, 1024));
  EXPECT_THAT(windows(R"({"model_type": "phi3", "num_hidden_layers": 1, "sliding_window": 2047})"), ElementsAre(2047));
  EXPECT_THAT(windows(R"({"model_type": "phi3", "num_hidden_layers": 1})"), ElementsAre(0)) << "the default";
  EXPECT_THAT(windows(R"({"model_type": "mistral", "num_hidden_layers": 2, "sliding_window": 512,
                         "layer_types": ["sliding_attention", "full_attention"]})"),
              ElementsAre(512, 0));
  EXPECT_THROW(windows(R"({"model_type": "mistral", "num_hidden_layers": 3, "sliding_window": 512,
                         "layer_types": ["sliding_attention"]})"),
               BadUsage);
}

// The numbers of parameters that the models' authors publish.
TEST(HuggingFaceConfig, of_other_types_has_the_published_parameters) {
  const auto elements = [](const char* text) {
    return make_model(architecture_from_config("config.json", text)).elements();
  };
  EXPECT_EQ(elements(R"({"model_type": "mistral", "max_position_embeddings": 32768, "sliding_window": 4096,
      "architectures": ["MistralForCausalLM"]})"),
            7'241'732'096U);
  EXPECT_EQ(elements(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "vocab_size": 152064,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4})"),
            7'615'616'512U);
  EXPECT_EQ(elements(R"({"model_type": "qwen3", "intermediate_size": 12288, "num_hidden_layers": 36,
      "num_key_value_heads": 8, "max_position_embeddings": 40960})"),
            8'190'735'360U);
  EXPECT_EQ(elements(R"({"model_type": "phi3", "sliding_window": 2047})"), 3'821'079'552U);
  EXPECT_EQ(elements(R"({"model_type": "gemma"})"), 8'537'680'896U);
  EXPECT_EQ(elements(R"({"model_type": "gemma2"})"), 2'614'341'888U);
  EXPECT_EQ(elements(R"({"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
      "num_attention_heads": 4, "num_key_value_heads": 1, "vocab_size": 262144})"),
            999'885'952U);
  EXPECT_EQ(elements(R"({"model_type": "smollm3"})"), 3'075'098'624U);
  EXPECT_EQ(elements(R"({"model_type": "olmo2", "vocab_size": 100352})"), 7'298'617'344U);
  EXPECT_EQ(elements(R"({"model_type": "stablelm"})"), 2'795'443'200U);
  EXPECT_EQ(elements(R"({"model_type": "starcoder2"})"), 3'030'371'328U);
  EXPECT_EQ(elements(R"({"model_type": "cohere"})"), 34'980'831'232U);
  EXPECT_EQ(elements(R"({"model_type": "gpt_neox", "hidden_size": 2048, "intermediate_size": 8192,
      "num_hidden_layers": 16, "num_attention_heads": 8, "vocab_size": 50304})"),
            1'011'781'632U);
}

TEST(HuggingFaceConfig, of_a_type_that_is_not_known_is_refused_by_its_name) {
  const auto refused = [](const std::string& text) {
    try {
      architecture_from_config("config.json", text);
    } catch (const BadUsage& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(R"({"model_type": "clip", "vision_config": {"hidden_size": 4}})"),
              AllOf(HasSubstr("'clip': expected one of opt, "), HasSubstr("smollm3")));
  for (const char* type : {"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3"})
    EXPECT_THAT(refused(fmt::format(R"({{"model_type": "{}"}})", type)),
                AllOf(HasSubstr(type), HasSubstr("--framework megatron-core")));
  EXPECT_THAT(refused(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}, "vision_config": {}})"),
              AllOf(HasSubstr("'gemma3': "), HasSubstr("its text_config is a 'gemma3_text'")));
  EXPECT_THAT(
      refused(R"({"model_type": "gpt_neox", "quantization": "q4f16_1", "model_config": {"hidden_size": 2560}})"),
      HasSubstr("model_config: "));
  for (const char* key : {"qk_layernorm", "use_parallel_residual"})
    EXPECT_THAT(refused(fmt::format(R"({{"model_type": "stablelm", "{}": true}})", key)), HasSubstr(key));
}

TEST(HuggingFaceConfig, has_llamas_biases_and_widths_of_heads) {
  const auto model = make_model(architecture_from_config(
      "config.json", R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "intermediate_size": 128,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "attention_bias": true, "mlp_bias": true,
      "vocab_size": 100, "max_position_embeddings": 64, "tie_word_embeddings": true})"));
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  for (const auto& each : model.parameters) shapes[each.name] = each.shape;
  using Shape = std::vector<std::uint64_t>;
  EXPECT_EQ(shapes.at("model.layers.0.self_attn.q_proj.weight"), (Shape{128, 64}));
  EXPECT_EQ(shapes.at("model.layers.0.self_attn.k_proj.bias"), (Shape{64}));
  EXPECT_EQ(shapes.at("model.layers.0.self_attn.o_proj.weight"), (Shape{64, 128}));
  EXPECT_EQ(shapes.at("model.layers.0.mlp.down_proj.bias"), (Shape{64}));
  EXPECT_EQ(model.dimensions.attention_width, 128U);
  EXPECT_EQ(shapes.size(), 1 + 2 + 4 * 2 + 3 * 2 + 1U);
}

TEST(HuggingFaceConfig, refuses_what_would_change_its_tensors) {
  const auto refused = [](const std::string& more) {
    try {
      architecture_from_config(
          "config.json",
          R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128,
        "num_attention_heads": 4, "vocab_size": 100, "max_position_embeddings": 64)" +
              more + "}");
    } catch (const BadUsage& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(R"(, "attention_bias": false, "mlp_bias": false, "head_dim": 16, "num_key_value_heads": 2)"), "");
  EXPECT_THAT(refused(R"(, "add_cross_attention": true)"), HasSubstr("add_cross_attention: "));
  EXPECT_EQ(refused(R"(, "architectures": ["MyLlamaForCausalLM"])"), "");
  EXPECT_THAT(refused(R"(, "architectures": ["LlamaForSequenceClassification"])"), HasSubstr("SequenceClassification"));
  EXPECT_THAT(refused(R"(, "vision_config": {"hidden_size": 4})"), HasSubstr("vision_config: "));
  EXPECT_THAT(refused(R"(, "num_local_experts": 8)"), HasSubstr("num_local_experts: 8"));
  EXPECT_THAT(refused(R"(, "word_embed_proj_dim": 32)"), HasSubstr("word_embed_proj_dim: 32"));
  EXPECT_THAT(refused(R"(, "num_key_value_heads": 3)"), HasSubstr("3 key heads"));
}

}  // namespace
}  // namespace ringmark::replay
