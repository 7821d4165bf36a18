// Duration of a device's computations: derived from the work, or measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "replay/step/device.hpp"
#include "replay/step/measured_table.hpp"
#include "replay/step/operator_time.hpp"
#include "replay/step/software.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// The compute model of every rank; a straggler's slow_down multiplies its times.
struct ComputeModel {
  Device device;
  /// Measured times of a micro-step's passes and of the optimizer, in milliseconds: the device's times are scaled to
  /// these sums.
  std::optional<double> forward_ms, backward_ms, step_ms;
  double scale = 1;
  std::optional<MeasuredTable> table = {};  ///< takes precedence over the device
  Software::Kind software = usual_software;
  ProductType products = ProductType::models;
};

/// The problem if the device has no matrix products of that type, else empty; `who` is the flag or the file.
std::optional<Problem> problem_of_products(const Device& device, ProductType products, const std::string& who);

/// Throws that problem as BadUsage.
void require_products(const Device& device, ProductType products, const std::string& who);

/// Microseconds of each event of the trace; 0 for events that do not compute.
std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model);

/// The same by pass and event of a step with roles. Throws BadUsage for measured times of passes if there are several
/// roles.
std::vector<std::vector<double>> durations_us(const RoleTrace& trace, const ComputeModel& model);

}  // namespace ringmark::replay
