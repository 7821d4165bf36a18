// Writes a setting as files that are ready to use.
#pragma once

#include <string>

#include "results/files/ready_settings.hpp"
#include "sweeps/file/plan.hpp"

namespace ringmark::sweep {

/// The evidence is preceded by the sweep's question.
ReadySettings ready_settings(const Sweep& sweep, const Setting& setting, const std::string& evidence);

/// A line for NCCL's example tuner plug-in (ext-tuner/example: lower case, no header, inclusive range of bytes; -1
/// leaves a choice to NCCL) that selects the setting's algorithm and protocol for the objective's sizes. Empty if the
/// setting does not name one of each, or the sweep measured no collective of NCCL.
std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting);

}  // namespace ringmark::sweep
