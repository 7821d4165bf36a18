#include "replay/step/device.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"

namespace ringmark::replay {
namespace {

Device device_of(const char* name, double peak_TFLOPS, double peak_TFLOPS_float32, double peak_TFLOPS_float8,
                 double memory_GBps, double memory, double memory_GiB, int multiprocessors, double product,
                 double attention, double tuned_attention, double vendor_attention, double power_watts) {
  Device device{name, peak_TFLOPS, peak_TFLOPS_float32, 0, memory_GBps, memory, memory_GiB, peak_TFLOPS_float8};
  device.multiprocessors = multiprocessors;
  device.product_efficiency = product;
  device.attention_efficiency = attention;
  device.tuned_attention_efficiency = tuned_attention;
  device.vendor_attention_efficiency = vendor_attention;
  device.power_watts = power_watts;
  return device;
}

Device with_rocm(Device device) {
  device.runs_rocm = true;
  return device;
}

Device without_bfloat16(Device device) {
  device.has_bfloat16 = false;
  return device;
}

/// Dense peaks (bfloat16, TF32, FP8), memory bandwidth, multiprocessors and power from the vendors' datasheets, memory
/// as the driver shows it. Shares of the peak of the A100 and H100 are fitted to published steps
/// (docs/evidence/predictions.md); the H200's and MI300X's products are those of SemiAnalysis' training benchmark of
/// December 2024 as reported (720 and 620 TFLOP/s; the source could not be opened to check them), less the tiles'
/// overhead. The H200's share of bandwidth is that of PyTorch's fused AdamW on one of them (68 to 72 %, of 28 bytes of
/// an element; 76 to 78 % on an H100, whose 80 % stay, since its products were fitted with them). Tuned attention
/// follows the published rates of FlashAttention-2 (Dao, 2023) and, with cuDNN, those of FlashAttention-3 (Shah et al.,
/// 2024). Other devices have the shares of their nearest relative: the V100's and A10's are the A100's, the B300's the
/// B200's, the MI325X's and MI355X's the MI300X's. Datasheets of these five: "NVIDIA V100 Tensor Core GPU" (SXM2, 32
/// GB), whose 16-bit peak is that of float16, without bfloat16, TF32 or FP8; "NVIDIA A10 Tensor Core GPU"; "NVIDIA HGX
/// B300" (an eighth of the board's dense peaks); "AMD Instinct MI325X" and "AMD Instinct MI355X". The MI355X has no
/// TF32: its float32 peak is that of float32 matrices, as the V100's is that of its ordinary cores.
const std::array devices{
    without_bfloat16(device_of("v100", 125, 15.7, 0, 900, 0.8, 32, 80, 0.82, 0.315, 0.61, 0.61, 300)),
    device_of("a10", 125, 62.5, 0, 600, 0.8, 22.5, 72, 0.82, 0.315, 0.61, 0.61, 150),
    device_of("a100", 312, 156, 0, 2039, 0.8, 80, 108, 0.82, 0.315, 0.61, 0.61, 400),
    device_of("a100-40", 312, 156, 0, 1555, 0.8, 40, 108, 0.82, 0.315, 0.61, 0.61, 400),
    device_of("h100", 989, 494, 1979, 3350, 0.8, 80, 132, 0.66, 0.18, 0.34, 0.55, 700),
    device_of("h100-pcie", 756, 378, 1513, 2000, 0.8, 80, 114, 0.66, 0.18, 0.34, 0.55, 350),
    device_of("h100-nvl", 835, 418, 1671, 3938, 0.8, 93.6, 132, 0.66, 0.18, 0.34, 0.55, 400),
    device_of("h200", 989, 494, 1979, 4800, 0.7, 140.4, 132, 0.75, 0.18, 0.34, 0.55, 700),
    device_of("b200", 2250, 1125, 4500, 8000, 0.7, 179, 148, 0.66, 0.18, 0.34, 0.55, 1000),
    device_of("b300", 2250, 1125, 4500, 8000, 0.7, 268, 148, 0.66, 0.18, 0.34, 0.55, 1100),
    device_of("gb200", 2500, 1250, 5000, 8000, 0.7, 185, 152, 0.66, 0.18, 0.34, 0.55, 1200),
    device_of("gb300", 2500, 1250, 5000, 8000, 0.7, 277, 160, 0.66, 0.18, 0.34, 0.55, 1400),
    with_rocm(device_of("mi300x", 1307, 653, 2615, 5300, 0.8, 192, 304, 0.5, 0.15, 0.25, 0.25, 750)),
    with_rocm(device_of("mi325x", 1307, 653, 2615, 6000, 0.8, 256, 304, 0.5, 0.15, 0.25, 0.25, 1000)),
    with_rocm(device_of("mi355x", 2517, 157, 5033, 8000, 0.8, 288, 256, 0.5, 0.15, 0.25, 0.25, 1400)),
    device_of("l40s", 362, 183, 733, 864, 0.8, 45, 142, 0.66, 0.18, 0.34, 0.34, 350),
};

struct Key {
  const char* name;
  double Device::*value;
  bool is_needed;
};
constexpr std::array keys{Key{"peak_TFLOPS", &Device::peak_TFLOPS, true},
                          Key{"peak_TFLOPS_float32", &Device::peak_TFLOPS_float32, true},
                          Key{"peak_TFLOPS_float8", &Device::peak_TFLOPS_float8, false},
                          Key{"efficiency", &Device::efficiency, false},
                          Key{"memory_GBps", &Device::memory_GBps, true},
                          Key{"memory_efficiency", &Device::memory_efficiency, true},
                          Key{"memory_GiB", &Device::memory_GiB, true},
                          Key{"product_efficiency", &Device::product_efficiency, false},
                          Key{"attention_efficiency", &Device::attention_efficiency, false},
                          Key{"tuned_attention_efficiency", &Device::tuned_attention_efficiency, false},
                          Key{"power_watts", &Device::power_watts, false},
                          Key{"vendor_attention_efficiency", &Device::vendor_attention_efficiency, false}};

struct OptionalKey {
  const char* name;
  std::optional<double> Device::*value;
};
constexpr std::array optional_keys{OptionalKey{"launch_us", &Device::launch_us},
                                   OptionalKey{"interval_low", &Device::interval_low},
                                   OptionalKey{"interval_high", &Device::interval_high}};

const Device* find_shipped(const std::string& name) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& each) { return each.name == name; });
  return found == devices.end() ? nullptr : &*found;
}

class DeviceFile {
 public:
  explicit DeviceFile(const std::string& file) : file_(file), read_(file, YamlReader::Policy::throws) {}

  Device device() {
    const auto root = read_yaml(file_, whole_file(file_, "--device " + file_));
    start_from(root);
    std::vector<std::string> names{"name", "base", "multiprocessors"};
    for (const auto& key : keys) names.emplace_back(key.name);
    for (const auto& key : optional_keys) names.emplace_back(key.name);
    names.insert(names.end(), {"power_limit_watts", "software"});
    for (const auto& [key, value, line] : read_.map("a device", root, names)) take(key, value);
    check();
    if (power_limit_watts_) return limited_to(*power_limit_watts_, device_, file_ + ": power_limit_watts");
    return device_;
  }

 private:
  void start_from(const YAML::Node& root) {
    const auto base = root.IsMap() ? root["base"] : YAML::Node();
    if (base.IsDefined() && !base.IsNull()) {
      const auto* shipped = find_shipped(read_.text("base", base));
      if (shipped == nullptr) read_.refuse(base, "base: give one of {}", fmt::join(shipped_devices(), ", "));
      device_ = *shipped;
    }
    device_.name = std::filesystem::path(file_).stem().string();
    if (root.IsMap() && root["product_efficiency"] && !root["efficiency"]) device_.efficiency = 0;
  }

  void take(const std::string& key, const YAML::Node& value) {
    constexpr double least = 1e-9, most = 1e9;
    if (key == "name") device_.name = read_.text(key, value);
    if (key == "multiprocessors") device_.multiprocessors = read_.number(key, value, 1, 1 << 20);
    for (const auto& each : keys) {
      // A product's share of the peak can exceed 1, since the tiles' own overhead is counted separately.
      const bool is_share = key == "efficiency" || key == "memory_efficiency";
      if (key == each.name) device_.*each.value = read_.number(key, value, least, is_share ? 1.0 : most);
    }
    if (key == "software") {
      device_.calibrated_software = parse_software(read_.text(key, value));
      if (!device_.calibrated_software) read_.refuse(value, "software: give one of {}", software_names());
    }
    if (key == "power_limit_watts") power_limit_watts_ = read_.number(key, value, 1.0, most);
    for (const auto& each : optional_keys) {
      if (key == each.name) device_.*each.value = read_.number(key, value, 0.0, most);
    }
  }

  void check() {
    if (device_.peak_TFLOPS_float32 <= 0) device_.peak_TFLOPS_float32 = device_.peak_TFLOPS / 2;
    if (device_.tuned_attention_efficiency <= 0) device_.tuned_attention_efficiency = device_.attention_efficiency;
    if (device_.vendor_attention_efficiency <= 0)
      device_.vendor_attention_efficiency = device_.tuned_attention_efficiency;
    const auto require = [&](const char* key, double value) {
      if (value <= 0) throw BadUsage(fmt::format("{}: {}: missing", file_, key));
    };
    for (const auto& each : keys) {
      if (each.is_needed) require(each.name, device_.*each.value);
    }
    if (!device_.knows_operators()) return;
    require("multiprocessors", device_.multiprocessors);
    require("attention_efficiency", device_.attention_efficiency);
  }

  std::string file_;
  YamlReader read_;
  Device device_;
  std::optional<double> power_limit_watts_;
};

}  // namespace

std::string doubt_of_bfloat16(const Device& device) {
  return device.has_bfloat16
             ? ""
             : fmt::format("{} has no matrix products in bfloat16: times are those of float16", device.name);
}

std::vector<std::string> shipped_devices() {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.name);
  return names;
}

Device limited_to(double watts, Device device, const std::string& who) {
  if (device.power_watts <= 0 || watts > device.power_watts)
    throw BadUsage(
        Problem{.flag = who,
                .value = fmt::format("{}", watts),
                .text = device.power_watts <= 0 ? fmt::format("the power of {} is unknown", device.name)
                                                : fmt::format("{} draws at most {} W", device.name, device.power_watts),
                .remedy = device.power_watts <= 0 ? "give power_watts in the device's file" : "give a lower limit"});
  const double slower = std::cbrt(watts / device.power_watts);
  for (double Device::*peak : {&Device::peak_TFLOPS, &Device::peak_TFLOPS_float32, &Device::peak_TFLOPS_float8})
    device.*peak *= slower;
  device.power_watts = watts;
  return device;
}

Device load_device(const std::string& name_or_file) {
  if (const auto* shipped = find_shipped(name_or_file)) return *shipped;
  std::error_code error;
  if (!std::filesystem::is_regular_file(name_or_file, error))
    throw BadUsage(Problem{.flag = "--device",
                           .value = name_or_file,
                           .text = "is neither a file nor a shipped device",
                           .remedy = fmt::format("give a file, or one of {}", fmt::join(shipped_devices(), ", "))});
  return DeviceFile(name_or_file).device();
}

}  // namespace ringmark::replay
