#include "replay/predict/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/text_table.hpp"
#include "replay/predict/prior_fit.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/software.hpp"

namespace ringmark::replay {
namespace {

constexpr std::array names{"product_efficiency", "attention_efficiency", "memory_efficiency", "launch_us"};
/// Priors: among code bases, and within the families to which the shipped constants were fitted.
constexpr Prior among_code{{0.08, 0.2, 0.1, 0.5}, 0.15}, within_family{{0.03, 0.06, 0.03, 0.15}, 0.02};
/// A step further off than this, in widths of its family's interval, does not belong to the family.
constexpr double farthest = 1.5;
/// A step with a larger residual counts less, in inverse proportion to the residual.
constexpr double usual_residual = 0.08;

/// Typical residual within a family after calibration with one of its steps, and the number of steps that this prior
/// knowledge counts for.
constexpr double usual_spread = 0.055, usual_spread_steps = 4;

double operations_of(const std::vector<Event>& events) {
  double sum = 0;
  for (const auto& event : events) sum += event.flops;
  return sum;
}

/// The operations of the busiest rank in a step: its products and attention.
double operations_of(const AnyTrace& trace) {
  const auto* with_roles = std::get_if<RoleTrace>(&trace);
  if (with_roles == nullptr) return operations_of(std::get<StepTrace>(trace).events);
  double most = 0;
  for (const auto& role : with_roles->roles) {
    double sum = 0;
    for (const auto& play : role.plays)
      sum += operations_of(with_roles->passes[static_cast<std::size_t>(play.pass)].events);
    most = std::max(most, sum);
  }
  return most;
}

Device changed(const Device& base, double launch_us, const ConstantVector& logs) {
  auto device = base;
  device.product_efficiency *= std::exp(logs[0]);
  device.attention_efficiency *= std::exp(logs[1]);
  device.tuned_attention_efficiency *= std::exp(logs[1]);
  device.vendor_attention_efficiency *= std::exp(logs[1]);
  device.memory_efficiency = std::min(1.0, device.memory_efficiency * std::exp(logs[2]));
  device.launch_us = launch_us * std::exp(logs[3]);
  device.calibrated_software.reset();
  return device;
}

/// A step's prediction as a linear function of the constants, around their current values.
struct Linearized {
  double residual = 0;      ///< logarithm of measured over predicted
  ConstantVector slopes{};  ///< derivatives of the prediction's logarithm with respect to the constants' logarithms
  double operations = 0;    ///< of a rank
  StepFamily family;
};

Linearized linearize(const PublishedStep& step, const Device& base, double launch_us, const ConstantVector& at) {
  const auto trace = trace_of(step);
  const auto log_s = [&](const ConstantVector& logs) {
    return std::log(predicted_step_s(trace, step, changed(base, launch_us, logs)));
  };
  constexpr double nudge = 0.02;
  Linearized result;
  result.operations = operations_of(trace);
  result.family = family_of(trace, step, base);
  const double here = log_s(at);
  result.residual = std::log(step.step_s) - here;
  for (std::size_t i = 0; i < fitted_constants; ++i) {
    auto moved = at;
    // Downwards, since memory_efficiency cannot exceed 1.
    moved[i] -= nudge;
    result.slopes[i] = (here - log_s(moved)) / nudge;
  }
  return result;
}

PriorFit fit_of(const std::vector<Linearized>& steps, const ConstantVector& at, const Prior& prior,
                std::size_t left_out) {
  PriorFit fit(prior);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == left_out) continue;
    const auto& step = steps[i];
    double target = step.residual;
    for (std::size_t c = 0; c < fitted_constants; ++c) target += step.slopes[c] * at[c];
    fit.add(step.slopes, target, std::min(1.0, usual_residual / std::max(1e-9, std::abs(step.residual))));
  }
  return fit;
}

/// Predicted over measured for each step, with constants fitted to the other steps.
std::vector<double> held_out_of(const std::vector<Linearized>& steps, const ConstantVector& at, const Prior& prior) {
  std::vector<double> ratios;
  for (std::size_t i = 0; steps.size() > 1 && i < steps.size(); ++i) {
    const auto without = fit_of(steps, at, prior, i).solution();
    double log_ratio = -steps[i].residual;
    for (std::size_t c = 0; c < fitted_constants; ++c) log_ratio += steps[i].slopes[c] * (without[c] - at[c]);
    ratios.push_back(std::exp(log_ratio));
  }
  return ratios;
}

/// Steps near the interval of a fitted family are assumed to belong to it.
const Prior& prior_of(const std::vector<Linearized>& linearized, const Device& base) {
  for (const auto& step : linearized) {
    const auto factors = interval_of(step.family, base);
    const double factor = std::exp(step.residual);
    const bool is_far = factor < 1 - farthest * (1 - factors.low) || factor > 1 + farthest * (factors.high - 1);
    if (!is_fitted(step.family, base) || is_far) return among_code;
  }
  return within_family;
}

/// Rejects times that are impossible on the device, before constants are fitted to them.
void check_times(const std::vector<PublishedStep>& steps, const std::vector<Linearized>& linearized,
                 const Device& base) {
  constexpr double most_times_slower = 10;
  const std::string remedy =
      "published_step_s must be in seconds; gpus, micro_batch and accumulation must be those of the whole step";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& step = steps[i];
    const double predicted_s = step.step_s * std::exp(-linearized[i].residual);
    const double peak = step.products == ProductType::float8 ? base.peak_TFLOPS_float8 : base.peak_TFLOPS;
    const double least_s = linearized[i].operations / (peak * 1e12);
    if (step.step_s < least_s)
      throw BadUsage(
          Problem{.flag = step.id,
                  .value = fmt::format("{:.4g}", step.step_s),
                  .text = fmt::format("even at the peak of {}, its operations alone take {:.4g} s", base.name, least_s),
                  .remedy = remedy});
    if (step.step_s > most_times_slower * predicted_s)
      throw BadUsage(
          Problem{.flag = step.id,
                  .value = fmt::format("{:.4g}", step.step_s),
                  .text = fmt::format("{:.0f} times the predicted {:.4g} s", step.step_s / predicted_s, predicted_s),
                  .remedy = remedy});
  }
}

void set_interval(const std::vector<double>& held_out, Device& device) {
  constexpr double most = 0.15;  // an outlier says little about the others
  double sum = usual_spread_steps * usual_spread * usual_spread;
  for (const double ratio : held_out) sum += std::pow(std::min(most, std::abs(std::log(ratio))), 2);
  const double spread = std::sqrt(sum / (usual_spread_steps + static_cast<double>(held_out.size())));
  constexpr double nine_of_ten = 1.645;
  device.interval_low = std::exp(-nine_of_ten * spread);
  device.interval_high = std::exp(nine_of_ten * spread);
}

}  // namespace

Calibration calibrate(const std::vector<PublishedStep>& steps, const Device& base) {
  if (steps.empty()) throw BadUsage("there are no steps to calibrate with");
  if (!base.knows_operators())
    throw BadUsage(Problem{.flag = "--device",
                           .value = base.name,
                           .text = "has a single efficiency for all operators",
                           .remedy = "give a shipped device or a file with product_efficiency"});
  const auto kind = steps.front().software;
  for (const auto& step : steps) {
    if (!step.refused.empty()) throw BadUsage(Problem{.flag = step.id, .text = step.refused, .remedy = "leave it out"});
    if (step.software != kind)
      throw BadUsage(
          fmt::format("{} and {} have different software: calibrate each kind separately", steps.front().id, step.id));
  }
  const auto& software = software_of(kind);
  // A base that was calibrated with other software says nothing about this one's launches.
  const auto known_launch_us = base.is_calibrated_for(software.kind) ? base.launch_us : std::nullopt;
  const double launch_us = known_launch_us.value_or(software.launch_us);
  ConstantVector at{};
  const Prior* prior = nullptr;
  std::vector<Linearized> linearized;
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    linearized.clear();
    for (const auto& step : steps) linearized.push_back(linearize(step, base, launch_us, at));
    if (round == 0) check_times(steps, linearized, base);
    if (prior == nullptr) prior = &prior_of(linearized, base);
    if (round + 1 < rounds) at = fit_of(linearized, at, *prior, steps.size()).solution();
  }
  const auto fit = fit_of(linearized, at, *prior, steps.size());
  Calibration result{changed(base, launch_us, at), {}, held_out_of(linearized, at, *prior)};
  const std::array values{base.product_efficiency, base.attention_efficiency, base.memory_efficiency, launch_us};
  const std::array now{result.device.product_efficiency, result.device.attention_efficiency,
                       result.device.memory_efficiency, *result.device.launch_us};
  for (std::size_t i = 0; i < fitted_constants; ++i)
    result.constants.push_back({names[i], values[i], now[i], fit.spread_of(i) / PriorFit(*prior).spread_of(i)});
  // A launch time that the steps do not determine keeps its known value, or the software's.
  if (!result.constants.back().is_determined()) result.device.launch_us = known_launch_us;
  result.device.calibrated_software = software.kind;
  for (std::size_t i = 0; i < steps.size(); ++i)
    result.steps.push_back({steps[i].id, steps[i].step_s, steps[i].step_s * std::exp(-linearized[i].residual)});
  set_interval(result.held_out, result.device);
  return result;
}

std::string device_file(const Calibration& calibration, const std::string& source) {
  const auto& d = calibration.device;
  auto text = fmt::format("# Made by ringmark-replay calibrate from {}\nname: {}\n", source, d.name);
  const auto add = [&](const char* key, double value) { text += fmt::format("{}: {:.6g}\n", key, value); };
  add("peak_TFLOPS", d.peak_TFLOPS);
  add("peak_TFLOPS_float32", d.peak_TFLOPS_float32);
  if (d.peak_TFLOPS_float8 > 0) add("peak_TFLOPS_float8", d.peak_TFLOPS_float8);
  add("memory_GBps", d.memory_GBps);
  add("memory_GiB", d.memory_GiB);
  add("multiprocessors", d.multiprocessors);
  if (d.power_watts > 0) add("power_watts", d.power_watts);
  add("product_efficiency", d.product_efficiency);
  add("attention_efficiency", d.attention_efficiency);
  add("tuned_attention_efficiency", d.tuned_attention_efficiency);
  add("vendor_attention_efficiency", d.vendor_attention_efficiency);
  add("memory_efficiency", d.memory_efficiency);
  if (d.launch_us) add("launch_us", *d.launch_us);
  if (d.calibrated_software) text += fmt::format("software: {}\n", software_of(*d.calibrated_software).name);
  add("interval_low", d.interval_low.value_or(1));
  add("interval_high", d.interval_high.value_or(1));
  return text;
}

std::string print(const Calibration& calibration) {
  std::vector<std::vector<std::string>> lines{{"constant", ">before", ">after", "determined by the steps"}};
  for (const auto& each : calibration.constants)
    lines.push_back({each.name, short_number(each.before), short_number(each.after),
                     each.is_determined() ? "yes" : "no: only in combination with others"});
  std::vector<std::vector<std::string>> steps{{"step", ">measured (s)", ">predicted now (s)", ">error"}};
  for (const auto& each : calibration.steps)
    steps.push_back({each.id, short_number(each.measured_s), short_number(each.predicted_s),
                     fmt::format("{:+.1f} %", 100 * (each.predicted_s / each.measured_s - 1))});
  auto text = print_table(std::move(lines)) + "\n" + print_table(std::move(steps)) + "\n";
  if (calibration.held_out.empty()) {
    text +=
        "held-out error: unknown with a single step; the interval is that of published steps after such a "
        "calibration\n";
  } else {
    std::vector<double> errors;
    for (const double ratio : calibration.held_out) errors.push_back(std::abs(ratio - 1));
    std::sort(errors.begin(), errors.end());
    text += fmt::format("held-out error of {} steps, each predicted from the others: median {:.1f} %, worst {:.1f} %\n",
                        errors.size(), 100 * median(errors), 100 * errors.back());
  }
  return text + fmt::format("interval: {:.0f} to {:.0f} % of a prediction\n", 100 * *calibration.device.interval_low,
                            100 * *calibration.device.interval_high);
}

}  // namespace ringmark::replay
