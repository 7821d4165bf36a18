// Types of Hugging Face's models with experts. They are modelled only for frameworks that place experts on ranks.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ringmark::replay {

/// The keys of a type's config.json that other types name differently.
struct ExpertKeys {
  std::string_view type;
  const char *count, *feed_forward, *shared_feed_forward;
  bool has_head_norms, has_query_biases, is_latent;
};
inline constexpr std::array expert_types{
    ExpertKeys{"mixtral", "num_local_experts", "intermediate_size", nullptr, false, false, false},
    ExpertKeys{"qwen2_moe", "num_experts", "moe_intermediate_size", "shared_expert_intermediate_size", false, true,
               false},
    ExpertKeys{"qwen3_moe", "num_experts", "moe_intermediate_size", nullptr, true, false, false},
    ExpertKeys{"deepseek_v2", "n_routed_experts", "moe_intermediate_size", nullptr, false, false, true},
    ExpertKeys{"deepseek_v3", "n_routed_experts", "moe_intermediate_size", nullptr, false, false, true}};

/// Null for types without experts, or with unknown ones.
inline const ExpertKeys* find_expert_type(std::string_view type) {
  const auto* found =
      std::find_if(expert_types.begin(), expert_types.end(), [&](const ExpertKeys& each) { return each.type == type; });
  return found == expert_types.end() ? nullptr : found;
}

}  // namespace ringmark::replay
