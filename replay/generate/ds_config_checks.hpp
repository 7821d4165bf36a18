// Checks the names of a ds_config's settings, and the values of those that are not modelled.
#pragma once

#include "replay/generate/ds_config_reader.hpp"

namespace ringmark::replay {

/// Refuses files of other programs, keys that look misspelt where that would change the step, and settings without
/// which a prediction would be useless. Notes other settings that are not modelled, and unknown keys, which DeepSpeed
/// ignores at the top level and rejects within most sections.
void check_ds_config_keys(const DsConfigReader& read, const nlohmann::json& root, DsConfig& config);

}  // namespace ringmark::replay
