#include "replay/model/gradient_flow.hpp"

#include <algorithm>

namespace ringmark::replay {

GradientFlow::GradientFlow(const Model& model) : model_(model) { pass(model.forward, Source::outside); }

/// Returns the origin of the module's output.
GradientFlow::Source GradientFlow::pass(const Module& module, Source source) {
  const bool input = module.differentiable_input && source != Source::frozen;
  const bool trains = std::any_of(module.parameters.begin(), module.parameters.end(), [&](int index) {
    return model_.parameters[static_cast<std::size_t>(index)].requires_grad;
  });
  if (trains) {
    source = Source::trained;
  } else if (!module.parameters.empty() && !input && source == Source::outside) {
    source = Source::frozen;
  }
  bool output = input || trains;
  for (const auto& child : module.children) {
    source = pass(child, source);
    output = output || gradients_.at(&child).output;
  }
  gradients_[&module] = {output, input};
  return output ? Source::trained : source;
}

}  // namespace ringmark::replay
