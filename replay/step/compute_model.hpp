// How long a device computes: from what is to be done, or as it was measured.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "replay/step/measured_table.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// A GPU as its datasheet and experience have it.
struct Device {
  std::string name;
  double peak_TFLOPS = 0;          ///< of 16-bit matrices, dense
  double peak_TFLOPS_float32 = 0;  ///< of float32 matrices, as TF32; half of that if a file does not say
  double efficiency = 0.4;
  double memory_GBps = 0;
  double memory_efficiency = 0.8;
  double memory_GiB = 0;
};

/// A100, H100 and H200 are shipped. Otherwise a YAML file with the keys of Device. Throws BadUsage.
Device load_device(const std::string& name_or_file);
std::vector<std::string> shipped_devices();

/// What every rank computes with; a straggler's slow_down multiplies.
struct ComputeModel {
  Device device;
  /// Measured times of a micro-step's passes and of the optimizer, in milliseconds: what the device gives is scaled to
  /// their sum.
  std::optional<double> forward_ms, backward_ms, step_ms;
  double scale = 1;
  std::optional<MeasuredTable> table = {};  ///< comes before the device
};

/// Microseconds of each event of the trace; 0 for what does not compute.
std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model);

}  // namespace ringmark::replay
