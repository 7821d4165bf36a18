// Puts the tensors and modules of a family together; each family derives from it.
#pragma once

#include <utility>

#include <fmt/format.h>

#include "replay/model/architectures.hpp"

namespace ringmark::replay {

/// Modules without tensors are included: stage 3 prefetches when it enters them.
class ModelBuilder {
 protected:
  using Tensors = std::vector<Parameter>;

  explicit ModelBuilder(const Architecture& a) : a_(a) {
    model_.name = a.name;
    model_.dimensions = {a.layers, a.hidden, a.heads, a.vocabulary, a.positions};
    model_.dimensions.key_width = a.key_heads * head_width();
    model_.dimensions.feed_forward = a.feed_forward;
    model_.forward.differentiable_input = false;
    model_.norms_cast = false;
    model_.type = a.type.empty() ? name_of(a.family) : a.type;
  }

  std::uint64_t head_width() const { return a_.head_width > 0 ? a_.head_width : a_.hidden / a_.heads; }

  /// Tensors are registered in the order of these calls, so callers build modules before they arrange them.
  Module leaf(const std::string& name, const Tensors& tensors) {
    Module module;
    module.name = name;
    for (const auto& tensor : tensors) {
      module.parameters.push_back(static_cast<int>(model_.parameters.size()));
      model_.parameters.push_back({name + "." + tensor.name, tensor.shape});
    }
    return module;
  }
  Module lookup(const std::string& name, const Tensors& tensors) {
    auto module = leaf(name, tensors);
    module.differentiable_input = false;
    return module;
  }
  Module linear(const std::string& name, std::uint64_t out, std::uint64_t in, bool has_bias = false) {
    Tensors tensors{{"weight", {out, in}}};
    if (has_bias) tensors.push_back({"bias", {out}});
    return leaf(name, tensors);
  }

  static Module container(const std::string& name, std::vector<Module> children) {
    Module module;
    module.name = name;
    module.children = std::move(children);
    return module;
  }

  /// Wraps the body in modules of these names, outermost first, followed by the head.
  Model finish(std::vector<Module> first, std::vector<Module> layers, std::vector<Module> last,
               const std::vector<std::string>& around) {
    auto head = a_.is_tied ? leaf("lm_head", {}) : linear("lm_head", a_.vocabulary, a_.hidden);
    if (a_.is_tied) head.parameters = {first.front().parameters.front()};
    std::vector<Module> body;
    for (auto* some : {&first, &layers, &last}) {
      for (auto& module : *some) body.push_back(std::move(module));
    }
    for (auto name = around.rbegin(); name != around.rend(); ++name) {
      auto outer = container(*name, std::move(body));
      outer.differentiable_input = false;
      body = {std::move(outer)};
    }
    body.push_back(std::move(head));
    model_.forward.name = a_.name;
    model_.forward.children = std::move(body);
    return std::move(model_);
  }

  static const char* name_of(Architecture::Family family) {
    switch (family) {
      case Architecture::Family::llama:
        return "llama";
      case Architecture::Family::opt:
        return "opt";
      case Architecture::Family::gpt2:
        return "gpt2";
      case Architecture::Family::gpt_neox:
        return "gpt_neox";
    }
    return "";
  }

  const Architecture& a_;
  Model model_;
};

}  // namespace ringmark::replay
