// A GPU: values of its datasheet, and the shares of them that training reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/step/software.hpp"

namespace ringmark::replay {

struct Device {
  std::string name;
  double peak_TFLOPS = 0;          ///< for dense 16-bit matrices
  double peak_TFLOPS_float32 = 0;  ///< for float32 matrices as TF32; half of peak_TFLOPS if a file lacks it
  /// Share of the peak that all operations reach alike; 0: the shape of each operator decides.
  double efficiency = 0.4;
  double memory_GBps = 0;
  double memory_efficiency = 0.8;
  double memory_GiB = 0;
  double peak_TFLOPS_float8 = 0;  ///< 0: the device has no matrix products in FP8
  bool has_bfloat16 = true;       ///< otherwise peak_TFLOPS is that of float16 alone
  bool runs_rocm = false;         ///< AMD's, whose software reaches other shares of the peak than CUDA's
  double power_watts = 0;         ///< with which it reaches its rates; 0: unknown

  int multiprocessors = 0;
  double product_efficiency = 0;  ///< share of the peak of a long product whose tiles fill all multiprocessors
  /// The same for fused attention: with FlashAttention's first kernels, and in long sequences with its second ones and
  /// with the vendor's.
  double attention_efficiency = 0, tuned_attention_efficiency = 0, vendor_attention_efficiency = 0;

  /// From calibration; replaces the software's own.
  std::optional<double> launch_us;
  /// From calibration: a published time is within these factors of the prediction in nine of ten cases.
  std::optional<double> interval_low, interval_high;

  /// The software of the steps that calibrated it; empty if the file does not state it.
  std::optional<Software::Kind> calibrated_software;

  bool operator==(const Device&) const = default;

  bool knows_operators() const { return efficiency <= 0; }
  /// Whether the calibrated launch time and interval apply to the software.
  bool is_calibrated_for(Software::Kind software) const { return calibrated_software.value_or(software) == software; }
};

/// A shipped device, or a YAML file with the keys of Device; its `base` is the shipped device that it changes.
/// Throws BadUsage.
Device load_device(const std::string& name_or_file);
std::vector<std::string> shipped_devices();
/// Empty if the device multiplies in bfloat16.
std::string doubt_of_bfloat16(const Device& device);

/// The device at a lower power limit. Its clock falls with the cube root of the power; memory keeps its rate. Throws
/// BadUsage, with `who`, if the device's own power is unknown or lower.
Device limited_to(double watts, Device device, const std::string& who);

}  // namespace ringmark::replay
