// Models from files: model descriptions (JSON or YAML), Hugging Face's config.json, and the shipped names.
#pragma once

#include <string>

#include "replay/model/model.hpp"

namespace ringmark::replay {

/// Loads a shipped name, or a file of either kind. Throws BadUsage with file, line, key and the expected value.
Model load_model(const std::string& name_or_file);

/// Throws BadUsage with the shipped names if there is no such file.
void require_model_file(const std::string& name_or_file);

/// Reads a model description: `parameters`, `forward`, and optionally `gradient_order` and `recompute`.
Model model_from_description(const std::string& file, const std::string& text);

}  // namespace ringmark::replay
