// The configurations that torchtitan ships, by name.
#pragma once

#include <string>

#include "replay/generate/torchtitan/settings.hpp"

namespace ringmark::replay::torchtitan {

/// The model and the other settings of its configuration, such as "llama3" and "debugmodel". Throws BadUsage with the
/// known names.
Settings shipped_settings(const std::string& family, const std::string& flavor);

}  // namespace ringmark::replay::torchtitan
