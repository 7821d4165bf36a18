// Settings of a training step that a tuning may change, by framework.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "sweeps/training/training_run.hpp"

namespace ringmark::sweep {

struct Knob {
  std::string_view name;  ///< DeepSpeed's key, or the flag of ringmark-replay
  Part part;
  std::vector<replay::Framework::Kind> frameworks;  ///< empty: all
  std::string_view pointer;                         ///< JSON pointer into a ds_config; empty: the flag sets it
  std::string_view flag;                            ///< of ringmark-replay, without dashes
  std::vector<std::string> usual;  ///< values that are tried unless the file lists others; empty: only on request
  bool needs_patch = false;        ///< values other than the first need a change of the framework's code
};

/// Every knob except the micro-batch, which changes together with the accumulation.
std::span<const Knob> all_knobs();

bool has(const Knob& knob, replay::Framework::Kind framework);

/// The name of the micro-batch in files and messages.
inline constexpr std::string_view micro_batch_name = "micro-batch";

}  // namespace ringmark::sweep
