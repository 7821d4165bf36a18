#include "replay/model/hugging_face_keys.hpp"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/llama_like.hpp"
#include "tests/replay/known_keys.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Architecture llama_with(const std::string& more, const std::string& type = "llama") {
  return architecture_from_config("config.json",
                                  fmt::format(R"({{"model_type": "{}", "num_hidden_layers": 2, "hidden_size": 64,
      "num_attention_heads": 4{}{}}})",
                                              type, more.empty() ? "" : ", ", more));
}

std::string refusal_of_llama_with(const std::string& more) {
  try {
    llama_with(more);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(HuggingFaceKeys, have_a_class_each) {
  const auto known = testing_support::known_keys("config.json");
  std::vector<std::string> without;
  std::set<std::string> types;
  for (const auto& [type, key] : known) {
    types.insert(type);
    if (!class_of_hugging_face_key(key)) without.push_back(type + " " + key);
  }
  EXPECT_THAT(without, IsEmpty());
  EXPECT_EQ(types.size(), 1 + llama_likes.size() + 3) << "what all types have, OPT, GPT-2 and GPT-NeoX";
  for (const auto& each : llama_likes) EXPECT_TRUE(types.contains(std::string(each.type))) << each.type;
}

TEST(HuggingFaceKeys, of_quantised_weights_are_refused) {
  EXPECT_THAT(refusal_of_llama_with(R"("quantization_config": {"quant_method": "gptq", "bits": 4})"),
              HasSubstr("quantization_config"));
  EXPECT_EQ(refusal_of_llama_with(R"("quantization_config": null)"), "");
}

TEST(HuggingFaceKeys, that_change_the_step_are_noted_where_they_do) {
  EXPECT_THAT(llama_with(R"("attention_dropout": 0.1)").notes, ElementsAre(HasSubstr("attention_dropout")));
  EXPECT_THAT(llama_with(R"("attention_dropout": 0.0, "pretraining_tp": 1, "use_cache": true, "pruned_heads": {},
                      "gradient_checkpointing": false, "rope_scaling": {"type": "linear", "factor": 2})")
                  .notes,
              IsEmpty());
  EXPECT_THAT(llama_with(R"("n_inner": 256, "resid_pdrop": 0.1, "embd_pdrop": 0.1)", "gpt2").notes,
              ElementsAre(AllOf(HasSubstr("resid_pdrop, embd_pdrop"))))
      << "one note for all";
  EXPECT_THAT(llama_with(R"("use_parallel_residual": false)", "gpt_neox").notes, ElementsAre(HasSubstr("parallel")));
}

TEST(HuggingFaceKeys, that_are_unknown_are_noted_with_the_nearest) {
  EXPECT_THAT(llama_with(R"("num_key_value_head": 2, "unsloth_version": "2025.1")").notes,
              ElementsAre(AllOf(HasSubstr("num_key_value_head (did you mean num_key_value_heads?)"),
                                HasSubstr("unsloth_version"))));
}

TEST(HuggingFaceKeys, of_another_program_are_no_sizes) {
  const auto refused = [](const char* text) {
    try {
      architecture_from_config("config.json", text);
    } catch (const BadUsage& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(R"({"name": "made-up", "num_layers": 24, "n_head": 16, "hidden_dim": 1024, "vocab_size": 50272,
                          "ffn_embed_dim": 4096, "model_type": "opt"})"),
              AllOf(HasSubstr("num_layers"), HasSubstr("num_hidden_layers"), HasSubstr("ffn_dim")));
  EXPECT_EQ(refused(R"({"model_type": "opt"})"), "") << "all defaults";
}

}  // namespace
}  // namespace ringmark::replay
