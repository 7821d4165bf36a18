// Duration of a device's computations: derived from the work, or measured.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "replay/step/measured_table.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// A GPU's datasheet values and typical efficiencies.
struct Device {
  std::string name;
  double peak_TFLOPS = 0;          ///< for dense 16-bit matrices
  double peak_TFLOPS_float32 = 0;  ///< for float32 matrices as TF32; half of peak_TFLOPS if a file lacks it
  double efficiency = 0.4;
  double memory_GBps = 0;
  double memory_efficiency = 0.8;
  double memory_GiB = 0;
};

/// A shipped device (A100, H100, H200), or a YAML file with the keys of Device. Throws BadUsage.
Device load_device(const std::string& name_or_file);
std::vector<std::string> shipped_devices();

/// The compute model of every rank; a straggler's slow_down multiplies its times.
struct ComputeModel {
  Device device;
  /// Measured times of a micro-step's passes and of the optimizer, in milliseconds: the device's times are scaled to
  /// these sums.
  std::optional<double> forward_ms, backward_ms, step_ms;
  double scale = 1;
  std::optional<MeasuredTable> table = {};  ///< takes precedence over the device
};

/// Microseconds of each event of the trace; 0 for events that do not compute.
std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model);

}  // namespace ringmark::replay
