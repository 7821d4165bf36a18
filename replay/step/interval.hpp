// How far predicted steps were from measured ones.
#pragma once

#include "replay/step/device.hpp"
#include "replay/step/software.hpp"

namespace ringmark::replay {

/// Factors of a predicted time between which nine of ten measured ones lie.
struct Interval {
  double low = 1, high = 1;
};

/// A calibrated device's own, or that of published steps with this kind of software.
inline Interval interval_of(const Device& device, Software::Kind kind) {
  const auto& software = software_of(kind);
  return {device.interval_low.value_or(software.interval_low), device.interval_high.value_or(software.interval_high)};
}

}  // namespace ringmark::replay
