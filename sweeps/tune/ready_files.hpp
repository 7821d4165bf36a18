// A setting as files that can be used as they are.
#pragma once

#include <string>

#include "results/ready_settings.hpp"
#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// With the sweep's question before the evidence.
ReadySettings ready_settings(const Sweep& sweep, const Setting& setting, const std::string& evidence);

/// A line for NCCL's example tuner plug-in (ext-tuner/example: lower case, no header, inclusive range of bytes; -1
/// leaves a choice to NCCL) that makes the algorithm and the protocol of the setting the choice for the sizes of the
/// objective; empty if it does not name one of each, or measured no collective of NCCL's.
std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting);

}  // namespace ringmark::sweep
