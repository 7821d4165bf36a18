// Checks the names of a ds_config's settings.
#pragma once

#include "replay/generate/ds_config_reader.hpp"

namespace ringmark::replay {

/// DeepSpeed ignores unknown keys at the top level, and rejects them within these sections. This notes keys that
/// another version may have, and rejects keys that look misspelt, since they would change the model. Refuses files of
/// other programs.
void check_ds_config_keys(const DsConfigReader& read, const nlohmann::json& root, DsConfig& config);

}  // namespace ringmark::replay
