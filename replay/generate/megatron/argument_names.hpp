// Megatron-LM's arguments that are known but not read.
#pragma once

#include <string_view>

namespace ringmark::replay::megatron {

enum class ArgumentKind {
  harmless,  ///< data, logging, checkpoints, initial values, rates, kernels: changes neither tensors nor calls
  refused,   ///< changes tensors or calls in a way that is not modelled
  unknown,
};
ArgumentKind kind_of_argument(std::string_view name);

}  // namespace ringmark::replay::megatron
