#include "replay/model/gradient_flow.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

// An embedding, two layers and a head; what is named is frozen.
Model model_without(const std::vector<std::string>& frozen) {
  auto model = model_from_description("m", R"(
parameters: [{name: embed, shape: [4, 2]}, {name: up, shape: [2, 2]}, {name: down, shape: [2, 2]}, {name: head, shape: [4, 2]}]
forward:
  name: root
  differentiable_input: false
  children:
    - {name: embed, parameters: [embed], differentiable_input: false}
    - {name: layers.0, children: [{name: up, parameters: [up]}, {name: act}]}
    - {name: layers.1, children: [{name: down, parameters: [down]}]}
    - {name: head, parameters: [head]})");
  for (auto& parameter : model.parameters) {
    if (std::find(frozen.begin(), frozen.end(), parameter.name) != frozen.end()) parameter.requires_grad = false;
  }
  return model;
}

/// A letter for each of embed, layers.0, act, layers.1 and head: b where input and output have gradients, o where the
/// output alone has.
std::string flow_of(const Model& model) {
  const GradientFlow flow(model);
  const auto& children = model.forward.children;
  std::string letters;
  for (const auto* module : {&children[0], &children[1], &children[1].children[1], &children[2], &children[3]})
    letters += !flow.has_output_gradient(*module) ? '-' : flow.has_input_gradient(*module) ? 'b' : 'o';
  return letters;
}

TEST(GradientFlow, begins_with_the_first_tensor_that_is_trained) {
  EXPECT_EQ(flow_of(model_without({})), "obbbb");
  EXPECT_EQ(flow_of(model_without({"embed"})), "-obbb") << "what is fed by frozen tensors alone";
  EXPECT_EQ(flow_of(model_without({"embed", "up"})), "---ob");
  EXPECT_EQ(flow_of(model_without({"embed", "up", "down"})), "----o");
}

TEST(GradientFlow, passes_through_what_is_frozen) { EXPECT_EQ(flow_of(model_without({"up", "head"})), "obbbb"); }

}  // namespace
}  // namespace ringmark::replay
