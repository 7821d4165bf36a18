// How far predicted steps were from measured ones.
#pragma once

#include "replay/step/device.hpp"
#include "replay/step/software.hpp"
#include "results/statistics.hpp"

namespace ringmark::replay {

/// Factors of a predicted time between which nine of ten measured ones lie: a calibrated device's own, or those of
/// published steps with this kind of software.
inline Interval interval_of(const Device& device, Software::Kind kind) {
  const auto& software = software_of(kind);
  return {device.interval_low.value_or(software.interval_low), device.interval_high.value_or(software.interval_high)};
}

}  // namespace ringmark::replay
