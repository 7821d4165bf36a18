// What a bad completion usually means, for people.
#pragma once

#include <string_view>

#include "transports/fabric/verbs/ibverbs_abi.hpp"

namespace ringmark {

/// The usual cause and what to look at.
std::string_view usual_cause(ibv::WcStatus status);

/// Whether it is this end that failed, rather than the peer or what lies between.
bool is_local(ibv::WcStatus status);

}  // namespace ringmark
