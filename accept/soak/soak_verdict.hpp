// The judgement of a soak's log: its events by the part they concern, and the trend of its rounds.
#pragma once

#include "accept/criteria.hpp"
#include "accept/soak/soak_log.hpp"
#include "accept/stage_result.hpp"

namespace ringmark::accept {

/// Passes if no event occurred and collectives did not slow down by the loss that matters.
StageResult judged(const Criteria& criteria, const SoakLog& log);

}  // namespace ringmark::accept
