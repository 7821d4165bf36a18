// Which modules the backward pass visits: gradients flow only to what was computed from tensors that are trained.
#pragma once

#include <unordered_map>

#include "replay/model/model.hpp"

namespace ringmark::replay {

/// Of each module of a model, whether its output and its input have gradients, as autograd decides it. Takes a module
/// to be fed by those before it, so that of modules side by side (a layer's query and key) the later ones count as fed
/// by the earlier; a description says differentiable_input: false where that is wrong.
class GradientFlow {
 public:
  /// The model has to outlive it, and must not change.
  explicit GradientFlow(const Model& model);

  bool has_output_gradient(const Module& module) const { return gradients_.at(&module).output; }
  bool has_input_gradient(const Module& module) const { return gradients_.at(&module).input; }

 private:
  /// Of what a module is given. Where nothing was computed before, a description's word on its inputs holds.
  enum class Source { outside, frozen, trained };
  struct Gradients {
    bool output, input;
  };

  Source pass(const Module& module, Source source);

  const Model& model_;
  std::unordered_map<const Module*, Gradients> gradients_;
};

}  // namespace ringmark::replay
