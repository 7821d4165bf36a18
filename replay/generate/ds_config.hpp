// DeepSpeed's configuration file, as far as it shapes collectives.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"

namespace ringmark::replay {

/// Values of flags, to which a file's "auto" refers.
struct GivenByFlags {
  std::optional<DataType> type;
  std::optional<int> zero_stage;
  std::optional<std::uint64_t> reduce_bucket;
  std::optional<bool> clips_gradients;
  std::optional<int> micro_steps;
  std::optional<std::uint64_t> micro_batch;
};

/// The settings of a file, completed with the defaults of DeepSpeed's version.
struct DsConfig {
  StepSettings settings;
  std::optional<int> micro_steps;
  std::optional<std::uint64_t> micro_batch;
  std::optional<DataType> type;
  std::set<std::string> flags;     ///< flags that gave the value of an "auto" in the file
  std::vector<std::string> notes;  ///< settings that are not modelled, in words
};

/// `hidden` is the model's width, to which Hugging Face's "auto" refers; 0 if unknown. Like DeepSpeed, derives the
/// missing one of batch, micro-batch and accumulation. Throws BadUsage with the key and the expected value.
DsConfig read_ds_config(const std::string& file, const Framework& framework, std::uint64_t hidden, int ranks,
                        const GivenByFlags& given);

/// The same from text.
DsConfig ds_config_from_json(const std::string& file, const std::string& text, const Framework& framework,
                             std::uint64_t hidden, int ranks, const GivenByFlags& given = {});

}  // namespace ringmark::replay
