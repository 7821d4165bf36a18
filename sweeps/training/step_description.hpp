// The description of a training step, and changes to it: flags of the replayer, and DeepSpeed's file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "sweeps/file/sweep.hpp"
#include "sweeps/training/knob.hpp"

namespace ringmark::sweep {

/// Keys of DeepSpeed's file.
inline constexpr auto micro_batch_key = "train_micro_batch_size_per_gpu",
                      micro_steps_key = "gradient_accumulation_steps";

/// The framework's input, which alone determines a step.
struct StepDescription {
  std::optional<nlohmann::ordered_json> ds_config;  ///< with DeepSpeed
  std::map<std::string, Value> flags;               ///< of ringmark-replay
  std::map<std::string, std::string> changes;       ///< from the user's own step, by the name of the knob
};

/// "stage=2 micro-batch=4"; "the default" without changes.
std::string in_words(const std::map<std::string, std::string>& changes);

/// DeepSpeed's file with the values of the flags that have a key in it. Removes these flags.
nlohmann::ordered_json config_of_flags(std::map<std::string, Value>& flags);

/// Changes a setting in the file, or its flag if the step has no file or the file has no key for the setting.
void set(StepDescription& description, const Knob& knob, const std::string& value);

/// Samples per rank and micro-step, and the number of micro-steps.
void set_batch(StepDescription& description, std::uint64_t micro_batch, std::uint64_t micro_steps);

}  // namespace ringmark::sweep
