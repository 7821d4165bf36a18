// torchtitan's keys that are known but not read.
#pragma once

#include <string_view>

namespace ringmark::replay::torchtitan {

/// Data, logging, checkpoints, initial values, rates, kernels: neither tensors nor calls change.
bool is_harmless(std::string_view name);
/// It changes tensors or calls in a way that is not modelled, unless its value disables it.
bool is_refused(std::string_view name);

}  // namespace ringmark::replay::torchtitan
