// The judgement of a soak's log: its events by the part that they are about, and the trend of its rounds.
#pragma once

#include "accept/criteria.hpp"
#include "accept/rung_result.hpp"
#include "accept/soak_log.hpp"

namespace ringmark::accept {

/// Passes if there was no event, and collectives have not become slower by the loss that matters.
RungResult judged(const Criteria& criteria, const SoakLog& log);

}  // namespace ringmark::accept
