#include "replay/generate/ds_config_checks.hpp"

#include <algorithm>

#include "replay/generate/ds_config_keys.hpp"

namespace ringmark::replay {

void check_ds_config_keys(const DsConfigReader& read, const nlohmann::json& root, DsConfig& config) {
  if (root.contains("model_type")) read.refuse("is a model's configuration; give it with --model");
  const auto check = [&](const nlohmann::json& section, const std::string& name) {
    const auto where = name.empty() ? "" : name + ": ";
    for (const auto& [key, value] : section.items()) {
      if (is_ds_config_key(key, name)) continue;
      if (const auto meant = meant_key(key, name); !meant.empty())
        read.refuse("{}{}: not a key of DeepSpeed; did you mean {}?", where, key, meant);
      if (!name.empty()) config.notes.push_back(fmt::format("{}{} is unknown and ignored", where, key));
    }
  };
  check(root, "");
  const auto entries = root.items();
  const auto is_known = [](const auto& entry) { return is_ds_config_key_of_any_kind(entry.key()); };
  if (!root.empty() && std::none_of(entries.begin(), entries.end(), is_known))
    read.refuse("has no setting of DeepSpeed; give the file that deepspeed.initialize takes");
  for (const auto* section : {"zero_optimization", "fp16", "bf16", "bfloat16", "data_types"})
    check(read.object(root, section), section);
  const auto zero = read.object(root, "zero_optimization");
  for (const auto* section : {"offload_optimizer", "offload_param"}) check(read.object(zero, section), section);
}

}  // namespace ringmark::replay
