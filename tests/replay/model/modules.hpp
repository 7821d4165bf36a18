// Walks a model's tree of modules.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/model/model.hpp"

namespace ringmark::testing_support {

/// Calls `visit` with each module, parents before children, in the order of execution.
template <class Visit>
void for_each_module(const replay::Module& module, const Visit& visit) {
  visit(module);
  for (const auto& child : module.children) for_each_module(child, visit);
}

/// The window of each layer's attention; 0: none.
inline std::vector<std::uint64_t> attention_windows(const replay::Model& model) {
  std::vector<std::uint64_t> windows;
  for_each_module(model.forward, [&](const replay::Module& module) {
    if (module.name.ends_with(".self_attn")) windows.push_back(module.attention_window);
  });
  return windows;
}

}  // namespace ringmark::testing_support
