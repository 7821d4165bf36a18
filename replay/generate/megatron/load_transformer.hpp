// Transformers by a shipped name, or from Hugging Face's config.json, including models with experts.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"
#include "replay/model/architectures.hpp"

namespace ringmark::replay::megatron {

/// The vocabulary is not padded yet. Throws BadUsage with the key, for models unlike Megatron-core's layers.
Transformer load_transformer(const std::string& name_or_file, std::vector<std::string>& notes);

/// Throws BadUsage for an architecture unlike Megatron-core's layers.
Transformer transformer_of(const Architecture& architecture);

/// Elements of all tensors, and of those that a token uses, which include only its own experts.
struct Elements {
  double total = 0, active = 0;
};
Elements elements_of(const Transformer& model);

}  // namespace ringmark::replay::megatron
