// What makes a step of Megatron-core fit a device.
#pragma once

#include <optional>
#include <string>

#include "replay/generate/megatron/settings.hpp"

namespace ringmark::replay::megatron {

/// The mildest change with which all stages fit, as flags: smaller micro-batches, recomputation, tensor parallelism
/// within nodes, and further pipeline stages, on the same ranks with the same global batch. Nothing if none was found.
std::optional<std::string> change_that_fits(const Settings& settings, int ranks_per_node, double device_bytes);

}  // namespace ringmark::replay::megatron
