#include "replay/step/compute_model.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/step/operator_time.hpp"

namespace ringmark::replay {
namespace {

/// Sharpness of the transition where the host's launches and the device's work take about as long.
constexpr double blend = 4;

/// The host's time for a launch: calibrated with steps of this software, or the software's own.
double launch_us_of(const Device& device, const Software& software) {
  return device.is_calibrated_for(software.kind) ? device.launch_us.value_or(software.launch_us) : software.launch_us;
}

/// The host launches kernels ahead of the device, so the slower of the two determines a micro-step's time. A launch
/// time of 0 means that graphs launch kernels: the host's own time does not count then either.
void wait_for_launches(const StepTrace& trace, double launch_us, std::vector<double>& durations) {
  const double host_share = launch_us > 0 ? 1 : 0;
  std::vector<double> device(static_cast<std::size_t>(trace.micro_steps)), host(device.size());
  const auto is_launched = [](const Event& event) {
    return event.kind == EventKind::compute && event.phase != Phase::step && !event.time_us &&
           (event.flops > 0 || event.memory_bytes > 0);
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!is_launched(event)) continue;
    device[static_cast<std::size_t>(event.micro_step)] += durations[i];
    host[static_cast<std::size_t>(event.micro_step)] +=
        (event.is_launched ? launch_us : 0) + host_share * event.host_us;
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto m = static_cast<std::size_t>(trace.events[i].micro_step);
    if (is_launched(trace.events[i]) && device[m] > 0)
      durations[i] *= std::pow(1 + std::pow(host[m] / device[m], blend), 1 / blend);
  }
}

/// Of computations: forward, backward including recomputation, step.
using PartSums = std::array<double, 3>;
using PartFactors = std::array<std::optional<double>, 3>;

std::size_t part_of(const Event& event) {
  return event.phase == Phase::step ? 2U : event.phase == Phase::forward ? 0U : 1U;
}

/// Ratios of the measured times to the sums.
PartFactors factors_of(const ComputeModel& model, const PartSums& sums_us, int micro_steps) {
  constexpr std::array flags{"--forward-ms", "--backward-ms", "--step-ms"};
  const std::array measured_ms{model.forward_ms, model.backward_ms, model.step_ms};
  PartFactors factors;
  for (std::size_t at = 0; at < factors.size(); ++at) {
    if (measured_ms[at].value_or(0) > 0 && sums_us[at] <= 0)
      throw BadUsage(
          fmt::format("{}: the step computes nothing in this phase; leave it out (ringmark-replay show --events "
                      "lists the computations)",
                      flags[at]));
    if (measured_ms[at] && sums_us[at] > 0)
      factors[at] = *measured_ms[at] * 1000 * (at == 2 ? 1 : micro_steps) / sums_us[at];
  }
  return factors;
}

void scale(const Event& event, const PartFactors& factors, double all, double& duration_us) {
  if (!computes(event)) return;
  if (event.kind == EventKind::compute) duration_us *= factors[part_of(event)].value_or(1);
  duration_us *= all;
}

/// The sums of the only role.
PartSums sums_of(const RoleTrace& trace, const std::vector<std::vector<double>>& durations_us) {
  PartSums sums{};
  for (const auto& play : trace.roles.front().plays) {
    const auto pass = static_cast<std::size_t>(play.pass);
    for (std::size_t i = 0; i < durations_us[pass].size(); ++i) {
      const auto& event = trace.passes[pass].events[i];
      if (event.kind == EventKind::compute) sums[part_of(event)] += durations_us[pass][i];
    }
  }
  return sums;
}

}  // namespace

std::optional<Problem> problem_of_products(const Device& device, ProductType products, const std::string& who) {
  if (products == ProductType::models || (device.knows_operators() && device.peak_TFLOPS_float8 > 0))
    return std::nullopt;
  return Problem{.flag = who,
                 .value = "fp8",
                 .text = device.knows_operators()
                             ? fmt::format("{} has no matrix products in FP8", device.name)
                             : fmt::format("{} has a single efficiency for all operators", device.name),
                 .remedy = "give a device that has peak_TFLOPS_float8, such as h100"};
}

void require_products(const Device& device, ProductType products, const std::string& who) {
  if (const auto problem = problem_of_products(device, products, who)) throw BadUsage(*problem);
}

std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model) {
  std::vector<double> result(trace.events.size());
  const bool is_float32 = trace.type == DataType::float32;
  const auto software = with_passes(software_of(model.software), trace.eager_passes);
  PartSums sums{};
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!computes(event)) continue;
    result[i] = device_us(event, model.device, software, is_float32, model.products);
  }
  if (model.device.knows_operators()) wait_for_launches(trace, launch_us_of(model.device, software), result);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!computes(event)) continue;
    if (const auto measured = model.table ? model.table->time_us(event) : std::nullopt) result[i] = *measured;
    if (event.kind == EventKind::compute) sums[part_of(event)] += result[i];
  }
  const auto factors = factors_of(model, sums, trace.micro_steps);
  for (std::size_t i = 0; i < trace.events.size(); ++i) scale(trace.events[i], factors, model.scale, result[i]);
  return result;
}

std::vector<std::vector<double>> durations_us(const RoleTrace& trace, const ComputeModel& model) {
  const bool is_measured = model.forward_ms || model.backward_ms || model.step_ms;
  if (is_measured && trace.roles.size() > 1)
    throw BadUsage(Problem{.flag = "--forward-ms, --backward-ms and --step-ms",
                           .text = "apply equally to all ranks, but pipeline stages differ",
                           .remedy = "give --device, or --compute-table"});
  // Each pass is treated as a step with a single micro-step.
  std::vector<std::vector<double>> result;
  StepTrace step;
  step.type = trace.type;
  auto alone = model;
  alone.forward_ms = alone.backward_ms = alone.step_ms = std::nullopt;
  alone.scale = 1;
  for (const auto& pass : trace.passes) {
    step.events = pass.events;
    result.push_back(durations_us(step, alone));
  }
  const auto factors = is_measured ? factors_of(model, sums_of(trace, result), trace.micro_batches) : PartFactors{};
  for (std::size_t pass = 0; pass < result.size(); ++pass) {
    for (std::size_t i = 0; i < result[pass].size(); ++i)
      scale(trace.passes[pass].events[i], factors, model.scale, result[pass][i]);
  }
  return result;
}

}  // namespace ringmark::replay
