// The layers that have experts, as listed by a Python expression.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmark::replay::megatron {

/// A sum of lists of zeros and ones, each of which may be multiplied and in brackets: "([0]*3+[1]*58)". A one is a
/// layer with experts. Nothing if it cannot be read, or has more than 65,536 layers.
std::optional<std::vector<bool>> read_layer_pattern(std::string_view text);

}  // namespace ringmark::replay::megatron
