#include "replay/generate/transformer.hpp"

namespace ringmark::replay {

bool Transformer::has_experts(std::uint64_t layer) const {
  if (!experts.of_layers.empty())
    return experts.count > 0 && layer < experts.of_layers.size() && experts.of_layers[layer];
  const auto dense = static_cast<std::uint64_t>(experts.dense_layers),
             every = static_cast<std::uint64_t>(experts.every);
  return experts.count > 0 && layer >= dense && (layer - dense) % every == 0;
}

std::uint64_t Transformer::query_width() const {
  return heads * (latent.key_rank > 0 ? latent.plain_width + latent.rotary_width : head_width);
}
std::uint64_t Transformer::key_width() const { return latent.key_rank > 0 ? query_width() : key_heads * head_width; }
std::uint64_t Transformer::value_width() const {
  return latent.key_rank > 0 ? heads * latent.value_width : key_heads * head_width;
}
std::uint64_t Transformer::result_width() const {
  return heads * (latent.key_rank > 0 ? latent.value_width : head_width);
}

}  // namespace ringmark::replay
