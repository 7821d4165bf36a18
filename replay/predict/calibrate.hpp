// Calibrates a device's constants with a cluster's own steps.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/published_steps.hpp"

namespace ringmark::replay {

/// A constant before and after the calibration, and how well the steps determine it.
struct CalibratedConstant {
  std::string name;
  double before = 0, after = 0;
  /// Posterior over prior standard deviation of its logarithm: near 1, the steps do not determine it.
  double left = 1;

  bool is_determined() const { return left < 0.8; }
};

struct CalibratedStep {
  std::string id;
  double measured_s = 0, predicted_s = 0;  ///< with the calibrated constants
};

struct Calibration {
  Device device;
  std::vector<CalibratedConstant> constants;
  /// Predicted over measured for each step, with constants fitted to the other steps. Empty if there is only one.
  std::vector<double> held_out;
  std::vector<CalibratedStep> steps = {};
};

/// The most probable constants given the steps, and how much constants vary between published clusters. All steps must
/// have the same kind of software. Throws BadUsage.
Calibration calibrate(const std::vector<PublishedStep>& steps, const Device& base);

/// The YAML file for --device. `source` names the table in its first line.
std::string device_file(const Calibration& calibration, const std::string& source);
std::string print(const Calibration& calibration);

}  // namespace ringmark::replay
