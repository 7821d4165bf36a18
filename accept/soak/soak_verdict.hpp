// The judgement of a soak's log: its events by the part they concern, and the trend of its rounds.
#pragma once

#include "accept/criteria.hpp"
#include "accept/rung_result.hpp"
#include "accept/soak/soak_log.hpp"

namespace ringmark::accept {

/// Passes if no event occurred and collectives did not slow down by the loss that matters.
RungResult judged(const Criteria& criteria, const SoakLog& log);

}  // namespace ringmark::accept
