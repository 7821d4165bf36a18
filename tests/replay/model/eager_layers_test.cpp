// Bytes of layers against what tests/replay/files/record_transformers_passes.py counted.
#include "replay/model/eager_layers.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "replay/model/architectures.hpp"
#include "replay/model/llama_like.hpp"
#include "replay/step/software.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay {
namespace {

constexpr std::array precisions{std::pair{"autocast", Precision::autocast}, std::pair{"bfloat16", Precision::half},
                                std::pair{"float32", Precision::single}};

/// A model with one width alone: "d" of the layer, "q" of all heads, "k" of all key heads, "f" of the MLP.
Model model_of(const std::string& type, const std::string& width, std::uint64_t size) {
  Model model;
  model.type = type;
  auto& d = model.dimensions;
  (width == "d" ? d.hidden : width == "q" ? d.attention_width : width == "k" ? d.key_width : d.feed_forward) = size;
  return model;
}

TEST(EagerLayers, move_and_keep_the_bytes_that_were_counted) {
  const auto recorded = testing_support::recorded_json("transformers_passes");
  ASSERT_EQ(recorded.at("layers").size(), llama_likes.size() + 3) << "OPT, GPT-2 and GPT-NeoX";
  for (const auto& [type, by_precision] : recorded.at("layers").items()) {
    for (const auto& [name, precision] : precisions) {
      for (const auto& [width, counted] : by_precision.at(name).items()) {
        SCOPED_TRACE(fmt::format("{} {} {}", type, name, width));
        const auto bytes = eager_layer_bytes(model_of(type, width, 1), precision);
        ASSERT_TRUE(bytes.has_value());
        constexpr double rounding = 0.5;
        EXPECT_NEAR(bytes->forward, counted.at("forward").get<double>(), rounding);
        EXPECT_NEAR(bytes->backward, counted.at("backward").get<double>(), rounding);
        EXPECT_NEAR(bytes->kept, counted.at("kept").get<double>(), rounding);
      }
      for (const auto* width : {"d", "q", "k", "f"}) {
        if (by_precision.at(name).contains(width)) continue;
        const auto bytes = eager_layer_bytes(model_of(type, width, 1), precision);
        ASSERT_TRUE(bytes.has_value());
        EXPECT_EQ(bytes->forward + bytes->backward + bytes->kept, 0) << type << " has no width " << width;
      }
    }
  }
}

TEST(EagerLayers, copy_parameters_only_with_autocast_and_move_the_logits_that_were_counted) {
  const auto recorded = testing_support::recorded_json("transformers_passes");
  for (const auto& [name, precision] : precisions) {
    for (const auto* pass : {"forward", "backward"})
      EXPECT_NEAR(eager_parameter_bytes(precision), recorded.at("parameter").at(name).at(pass).get<double>(), 0.02);
  }
  const auto counted = [&](const char* precision) {
    const auto& logit = recorded.at("logit").at(precision);
    return logit.at("forward").get<double>() + logit.at("backward").get<double>();
  };
  const auto& software = software_of(Software::Kind::transformers);
  EXPECT_EQ(software.loss_bytes_per_logit, counted("autocast"));
  EXPECT_EQ(software.loss_bytes_per_logit, counted("bfloat16"));
  EXPECT_EQ(software.float32_loss_bytes_per_logit, counted("float32"));
}

TEST(EagerLayers, have_all_types_that_are_read_and_no_others) {
  for (const auto& each : shipped_architectures()) {
    const auto model = make_model(each);
    ASSERT_TRUE(eager_layer_bytes(model, Precision::autocast)) << each.name;
    EXPECT_GT(model.dimensions.feed_forward, model.dimensions.hidden);
    EXPECT_EQ(model.dimensions.key_width, model.dimensions.hidden / each.heads * each.key_heads);
  }
  for (const auto& each : llama_likes) {
    const auto model =
        make_model(architecture_from_config("config.json", fmt::format(R"({{"model_type": "{}"}})", each.type)));
    EXPECT_EQ(model.type, each.type);
    EXPECT_TRUE(eager_layer_bytes(model, Precision::half)) << each.type;
  }
  EXPECT_FALSE(eager_layer_bytes(Model{}, Precision::autocast)) << "of a description";
}

}  // namespace
}  // namespace ringmark::replay
