// torchtitan's keys that are known but not read.
#pragma once

#include <string_view>

namespace ringmark::replay::torchtitan {

/// True for data, logging, checkpoints, initial values, rates, kernels, which change neither tensors nor calls.
bool is_harmless(std::string_view name);
/// True for a key that changes tensors or calls in a way that is not modelled, unless its value disables it.
bool is_refused(std::string_view name);

}  // namespace ringmark::replay::torchtitan
