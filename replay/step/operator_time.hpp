// The time of operators on a device.
#pragma once

#include "replay/step/device.hpp"
#include "replay/step/software.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds of a product of matrices: its tiles in waves over the multiprocessors, at the device's
/// product_efficiency.
double product_us(const Device& device, double peak_TFLOPS, double rows, double columns, double inner);

/// Microseconds that the device itself needs for a computation or copy, without the host's launches.
double device_us(const Event& event, const Device& device, const Software& software, bool is_float32);

}  // namespace ringmark::replay
