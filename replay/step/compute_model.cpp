#include "replay/step/compute_model.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/step/operator_time.hpp"

namespace ringmark::replay {
namespace {

/// How sharply the host's launches give way to the device's work where both take about as long.
constexpr double blend = 4;

/// The host launches kernels ahead of the device: in a micro-step whichever of the two is slower decides.
double launch_us_of(const Device& device, const Software& software) {
  return device.is_calibrated_for(software.kind) ? device.launch_us.value_or(software.launch_us) : software.launch_us;
}

/// With launches in no time, graphs launch kernels: then the host's own time counts nothing either.
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

}  // namespace

std::optional<Problem> problem_of_products(const Device& device, ProductType products, const std::string& who) {
  if (products == ProductType::models || (device.knows_operators() && device.peak_TFLOPS_float8 > 0))
    return std::nullopt;
  return Problem{.flag = who,
                 .value = "fp8",
                 .text = device.knows_operators() ? fmt::format("{} has no products in FP8", device.name)
                                                  : fmt::format("{} has one efficiency for all operators", device.name),
                 .remedy = "give a device that has peak_TFLOPS_float8, such as h100"};
}

void require_products(const Device& device, ProductType products, const std::string& who) {
  if (const auto problem = problem_of_products(device, products, who)) throw BadUsage(*problem);
}

std::vector<double> durations_us(const StepTrace& trace, const ComputeModel& model) {
  std::vector<double> result(trace.events.size());
  const bool is_float32 = trace.type == DataType::float32;
  const auto software = with_passes(software_of(model.software), trace.eager_passes);
  std::array<double, 3> sums{};  // forward, backward with what it computes again, step
  const auto part = [](const Event& event) {
    return event.phase == Phase::step ? 2U : event.phase == Phase::forward ? 0U : 1U;
  };
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

std::vector<std::vector<double>> durations_us(const RoleTrace& trace, const ComputeModel& model) {
  // The rules are those of a step whose only micro-step is the pass.
  std::vector<std::vector<double>> result;
  StepTrace step;
  step.type = trace.type;
  for (const auto& pass : trace.passes) {
    step.events = pass.events;
    result.push_back(durations_us(step, model));
  }
  return result;
}

}  // namespace ringmark::replay
