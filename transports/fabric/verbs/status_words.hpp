// Explains failed completions to people.
#pragma once

#include <string_view>

#include "transports/fabric/verbs/ibverbs_abi.hpp"

namespace ringmark {

/// The usual cause, and the place to check.
std::string_view usual_cause(ibv::WcStatus status);

/// True if this end failed, rather than the peer or the network.
bool is_local(ibv::WcStatus status);

}  // namespace ringmark
