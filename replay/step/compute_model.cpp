#include "replay/step/compute_model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input.hpp"
#include "base/yaml_reader.hpp"

namespace ringmark::replay {
namespace {

/// From datasheets of the SXM modules: dense bfloat16 and TF32 peaks, memory bandwidth and size.
const std::array devices{
    Device{"a100", 312, 156, 0.4, 2039, 0.8, 80},
    Device{"h100", 989, 494, 0.4, 3350, 0.8, 80},
    Device{"h200", 989, 494, 0.4, 4800, 0.8, 141},
};

double by_device(const Event& event, const Device& device, bool is_float32) {
  if (event.time_us) return *event.time_us;
  if (event.flops <= 0 && event.memory_bytes <= 0) return 0;  // even without a device
  const double arithmetic_us =
      event.flops / ((is_float32 ? device.peak_TFLOPS_float32 : device.peak_TFLOPS) * 1e6 * device.efficiency);
  const double memory_us = event.memory_bytes / (device.memory_GBps * 1e3 * device.memory_efficiency);
  return std::max(arithmetic_us, memory_us);
}

}  // namespace

std::vector<std::string> shipped_devices() {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.name);
  return names;
}

Device load_device(const std::string& name_or_file) {
  for (const auto& device : devices) {
    if (device.name == name_or_file) return device;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(name_or_file, error))
    throw BadUsage(Problem{.flag = "--device",
                           .value = name_or_file,
                           .text = "there is no such file",
                           .remedy = fmt::format("give one, or one of {}", fmt::join(shipped_devices(), ", "))});
  Device device;
  device.name = std::filesystem::path(name_or_file).stem().string();
  const std::map<std::string, double*> known{{"peak_TFLOPS", &device.peak_TFLOPS},
                                             {"peak_TFLOPS_float32", &device.peak_TFLOPS_float32},
                                             {"efficiency", &device.efficiency},
                                             {"memory_GBps", &device.memory_GBps},
                                             {"memory_efficiency", &device.memory_efficiency},
                                             {"memory_GiB", &device.memory_GiB}};
  YamlReader read(name_or_file, YamlReader::Policy::throws);
  const auto root = read_yaml(name_or_file, whole_file(name_or_file, "--device " + name_or_file));
  std::vector<std::string> keys{"name"};
  for (const auto& [key, value] : known) keys.push_back(key);
  for (const auto& [key, value, line] : read.map("a device", root, keys)) {
    if (key == "name") {
      device.name = read.text(key, value);
    } else {
      *known.at(key) = read.number(key, value, 1e-9, key.ends_with("efficiency") ? 1.0 : 1e9);
    }
  }
  if (device.peak_TFLOPS_float32 <= 0) device.peak_TFLOPS_float32 = device.peak_TFLOPS / 2;
  for (const auto& [key, value] : known) {
    if (*value <= 0) throw BadUsage(fmt::format("{}: {}: missing", name_or_file, key));
  }
  return device;
}

std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model) {
  std::vector<double> result(trace.events.size());
  const bool is_float32 = trace.type == DataType::float32;
  std::array<double, 3> sums{};  // forward, backward with what it computes again, step
  const auto part = [](const Event& event) {
    return event.phase == Phase::step ? 2U : event.phase == Phase::forward ? 0U : 1U;
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!computes(event)) continue;
    const auto measured = model.table ? model.table->time_us(event) : std::nullopt;
    result[i] = measured ? *measured : by_device(event, model.device, is_float32);
    if (event.kind == EventKind::compute) sums[part(event)] += result[i];
  }
  const std::array measured{model.forward_ms, model.backward_ms, model.step_ms};
  for (std::size_t at = 0; at < measured.size(); ++at) {
    constexpr std::array flags{"--forward-ms", "--backward-ms", "--step-ms"};
    if (measured[at].value_or(0) > 0 && sums[at] <= 0)
      throw BadUsage(
          fmt::format("{}: the step computes nothing in this phase; leave it out (ringmark-replay show --events "
                      "lists the computations)",
                      flags[at]));
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!computes(event)) continue;
    const auto at = part(event);
    const double times = at == 2 ? 1 : trace.micro_steps;
    if (measured[at] && event.kind == EventKind::compute && sums[at] > 0)
      result[i] *= *measured[at] * 1000 * times / sums[at];
    result[i] *= model.scale;
  }
  return result;
}

}  // namespace ringmark::replay
