// Finds the modules that the backward pass visits: gradients flow only to values computed from trained tensors.
#pragma once

#include <unordered_map>

#include "replay/model/model.hpp"

namespace ringmark::replay {

/// For each module of a model: whether its output and its input have gradients, as autograd decides. It assumes that
/// each module feeds the next one, even if they are parallel (a layer's query and key); where that is wrong, a
/// description can state differentiable_input: false.
class GradientFlow {
 public:
  /// The model must outlive it and must not change.
  explicit GradientFlow(const Model& model);

  bool has_output_gradient(const Module& module) const { return gradients_.at(&module).output; }
  bool has_input_gradient(const Module& module) const { return gradients_.at(&module).input; }

 private:
  /// Origin of a module's input. For `outside` (nothing was computed before), the module's differentiable_input
  /// decides.
  enum class Source { outside, frozen, trained };
  struct Gradients {
    bool output, input;
  };

  Source pass(const Module& module, Source source);

  const Model& model_;
  std::unordered_map<const Module*, Gradients> gradients_;
};

}  // namespace ringmark::replay
