// Settings as files that can be used as they are.
#pragma once

#include <string>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// Lines for a shell to source: environment variables, and RINGMARK_ARGUMENTS with the flags; the evidence as comments.
std::string shell_environment(const Sweep& sweep, const Setting& setting, const std::string& evidence);

/// Lines for /etc/nccl.conf or ~/.nccl.conf; empty if no variable of NCCL is set. NCCL takes everything after `=`
/// literally, so there are no quotes.
std::string nccl_conf(const Sweep& sweep, const Setting& setting, const std::string& evidence);

/// A line for NCCL's example tuner plug-in (ext-tuner/example: lower case, no header, inclusive range of bytes; -1
/// leaves a choice to NCCL) that makes the algorithm and the protocol of the setting the choice for the sizes of the
/// objective; empty if it does not name one of each.
std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting);

}  // namespace ringmark::sweep
