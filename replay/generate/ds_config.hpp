// DeepSpeed's configuration file, as far as it shapes collectives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"

namespace ringmark::replay {

/// What a file says; what it leaves open is what DeepSpeed's version takes.
struct DsConfig {
  StepSettings settings;
  std::optional<int> micro_steps;
  std::optional<std::uint64_t> micro_batch;
  std::optional<DataType> type;
  std::vector<std::string> notes;  ///< what is not modelled, in words
};

/// `hidden` is the model's width, which Hugging Face's "auto" refers to; 0 if unknown. Of batch, micro-batch and
/// accumulation it derives what is missing, as DeepSpeed does. Throws BadUsage with the key and
/// what was expected.
DsConfig read_ds_config(const std::string& file, const Framework& framework, std::uint64_t hidden, int ranks);

/// The same from text.
DsConfig ds_config_from_json(const std::string& file, const std::string& text, const Framework& framework,
                             std::uint64_t hidden, int ranks);

}  // namespace ringmark::replay
