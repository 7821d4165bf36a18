#include "replay/model/model.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

TEST(ShippedModels, have_their_published_numbers_of_tensors_and_elements) {
  struct Published {
    const char* name;
    std::size_t tensors;
    std::uint64_t elements;
  };
  for (const auto& [name, tensors, elements] :
       {Published{"llama-440m", 219, 439'927'808}, Published{"llama-8b", 291, 8'030'261'248},
        Published{"opt-125m", 196, 125'239'296}, Published{"cerebras-590m", 220, 590'310'912},
        Published{"opt-1.3b", 388, 1'315'758'080}, Published{"cerebras-2.7b", 388, 2'651'553'280},
        Published{"llama2-7b", 291, 6'738'415'616}, Published{"opt-30b", 772, 29'974'540'288},
        Published{"llama2-70b", 723, 68'976'648'192}, Published{"llama3-70b", 723, 70'553'706'496},
        Published{"llama3-405b", 1137, 405'853'388'800}}) {
    const auto model = load_model(name);
    EXPECT_EQ(model.parameters.size(), tensors) << name;
    EXPECT_EQ(model.elements(), elements) << name;
  }
  EXPECT_EQ(shipped_architectures().size(), 11U);
}

std::vector<std::string> names(const Model& model, const std::vector<int>& order) {
  std::vector<std::string> result;
  for (const int index : order) result.push_back(model.parameters[static_cast<std::size_t>(index)].name);
  return result;
}

TEST(LookedUp, are_embeddings_that_are_not_tied) {
  EXPECT_EQ(looked_up_elements(load_model("llama-8b")), 128256U * 4096);
  EXPECT_EQ(looked_up_elements(load_model("opt-125m")), 2050U * 768) << "positions alone: the words are tied";
}

TEST(GradientOrder, is_the_reverse_of_use_and_ends_with_a_tied_embedding) {
  const auto model = load_model("opt-125m");
  const auto order = names(model, gradient_order(model, false));
  ASSERT_EQ(order.size(), model.parameters.size());
  EXPECT_EQ(order.front(), "model.decoder.final_layer_norm.weight");
  EXPECT_EQ(order.back(), "model.decoder.embed_tokens.weight");
  EXPECT_EQ(names(model, gradient_order(model, true)), order);
}

TEST(GradientOrder, of_a_norm_that_casts_is_another_in_16_bits) {
  auto model = load_model("opt-125m");
  model.norms_cast = true;
  EXPECT_EQ(names(model, gradient_order(model, false)).front(), "model.decoder.final_layer_norm.bias");
  EXPECT_EQ(names(model, gradient_order(model, true)).front(), "model.decoder.final_layer_norm.weight");
}

TEST(Linear, is_told_from_what_keeps_inputs_first) {
  const auto opt = load_model("opt-125m"), gpt2 = load_model("cerebras-590m");
  const auto has_any = [](const Model& model) {
    const std::function<bool(const Module&)> any = [&](const Module& module) {
      return has_linear_with_bias(model, module) || std::any_of(module.children.begin(), module.children.end(), any);
    };
    return any(model.forward);
  };
  EXPECT_TRUE(has_any(opt));
  EXPECT_FALSE(has_any(gpt2));
}

std::string model_refusal(const std::string& text) {
  try {
    model_from_description("model.json", text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(Descriptions, are_refused_with_line_key_and_remedy) {
  EXPECT_THAT(model_refusal("{"), HasSubstr("model.json:"));
  EXPECT_THAT(model_refusal("[]"), HasSubstr("model: "));
  EXPECT_THAT(model_refusal(std::string(100'000, '[')), HasSubstr("nested more than"));
  EXPECT_THAT(model_refusal("parameters: []"), HasSubstr("parameters: "));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [0]}]"), HasSubstr("a: shape: '0' "));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [99999999, 99999999]}]"), HasSubstr("too large"));
  EXPECT_THAT(model_refusal("parameters:\n- {name: a, shape: [2]}\n- {name: a, shape: [2]}"),
              HasSubstr("model.json:3: parameters: a appears twice"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]"), HasSubstr("forward: missing"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [b]}"),
              HasSubstr("no parameter 'b'"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {name: r}"),
              HasSubstr("nothing is trained"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2], requires_grad: false}]\nforward: {parameters: [a]}"),
              HasSubstr("nothing is trained"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2], requires_grad: maybe}]"),
              HasSubstr("a: requires_grad"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a], chidren: []}"),
              HasSubstr("'chidren' is unknown"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\ngradient_order: [a, a]"),
              HasSubstr("gradient_order: a appears twice"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\ngradient_order: []"),
              AllOf(HasSubstr("gradient_order: a "), HasSubstr("missing")));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\nparameter_groups: [a]"),
              HasSubstr("for each group"));
  EXPECT_THAT(
      model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\nparameter_groups: [[a], [a]]"),
      HasSubstr("parameter_groups: a appears twice"));
  EXPECT_THAT(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\nparameter_groups: [[]]"),
              HasSubstr("parameter_groups: a gets a gradient"));
  EXPECT_EQ(model_refusal("parameters: [{name: a, shape: [2]}]\nforward: {parameters: [a]}\ngradient_order: [a]"), "");
}

TEST(Descriptions, may_leave_tensors_untrained) {
  const auto model = model_from_description("m", R"(
parameters: [{name: a, shape: [2], requires_grad: false}, {name: b, shape: [3]}, {name: c, shape: [5]}, {name: d, shape: [7]}]
forward: {name: root, children: [{name: first, parameters: [a]}, {name: second, parameters: [b, d]}]}
gradient_order: [d, c, b, a])");
  EXPECT_EQ(model.elements(), 17U);
  EXPECT_EQ(model.trained_elements(), 15U) << "what no module uses is the optimizer's all the same";
  EXPECT_EQ(gets_gradient(model), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(gradient_order(model, true), (std::vector<int>{3, 1})) << "only what gets one";
}

TEST(Descriptions, mark_layers_for_recomputation) {
  const auto model = model_from_description("m", R"(
parameters: [{name: a, shape: [2]}, {name: b, shape: [2]}]
forward: {name: root, children: [{name: layers.0, parameters: [a]}, {name: head, parameters: [b]}]}
recompute: true)");
  EXPECT_TRUE(model.forward.children[0].recompute);
  EXPECT_FALSE(model.forward.children[1].recompute);
}

}  // namespace
}  // namespace ringmark::replay
