// Models from files: model descriptions (JSON or YAML), Hugging Face's config.json, and the shipped names.
#pragma once

#include <string>

#include "replay/model/model.hpp"

namespace ringmark::replay {

/// A shipped name, or a file of either kind. Throws BadUsage with file, line, key and what was expected.
Model load_model(const std::string& name_or_file);

/// A model description: `parameters`, `forward`, and optionally `gradient_order` and `recompute`.
Model model_from_description(const std::string& file, const std::string& text);

}  // namespace ringmark::replay
