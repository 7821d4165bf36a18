#include "replay/step/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

namespace ringmark::replay {
namespace {

struct FittedFamily {
  Software::Kind software;
  std::string_view framework;  ///< the beginning of its name and version
  std::array<std::string_view, 3> devices;
  Interval factors;
};

/// Published over predicted time of nine of ten steps of these families lies between the factors
/// (docs/method/prediction.md).
constexpr std::array fitted_families{
    FittedFamily{Software::Kind::unfused, "deepspeed-", {"a100"}, {0.92, 1.08}},
    FittedFamily{Software::Kind::fused_attention, "pytorch-fsdp-2.", {"a100", "a100-40", "h100"}, {0.91, 1.1}}};

/// Published over predicted time of nine of ten of 147 steps that no fit includes lies between the factors. Their 18
/// code bases have the same weight each; intervals from all code bases but one contain 85 % of that one's steps.
constexpr Interval unfitted_code{0.84, 1.5};

/// Published over predicted time of all six published steps on AMD's devices lies between the factors: torchao and
/// torchtitan on eight MI300X are slower than predicted, Megatron-core in FP8 on eight MI355X is faster.
constexpr Interval rocm_code{0.82, 1.82};

const FittedFamily* find_fitted(const StepFamily& family, const Device& device) {
  if (family.products != ProductType::models || family.zero_stage != 0) return nullptr;
  const auto found = std::find_if(fitted_families.begin(), fitted_families.end(), [&](const auto& each) {
    return each.software == family.software && family.framework.starts_with(each.framework) &&
           std::find(each.devices.begin(), each.devices.end(), device.name) != each.devices.end();
  });
  return found == fitted_families.end() ? nullptr : &*found;
}

/// Published over predicted time of nine of ten of 705 steps with tensor, pipeline or context parallelism lies between
/// the factors, of vTrain's GPT on A100 as of Megatron-core's models on later devices; and of 62 steps with experts, to
/// some of which the host's time for a layer of experts was fitted (tests/replay/predict/parallel_steps_test.cpp).
constexpr Interval dense_roles{0.85, 1.21}, expert_roles{0.78, 1.6};

/// The smallest interval with the center of other code that contains this one.
Interval around_center_of_other_code(const Interval& factors) {
  const double center = median_of(unfitted_code);
  const double width = std::max(center / factors.low, factors.high / center);
  return {center / width, center * width};
}

/// Factors of the published steps that are most like this one.
Interval published_factors(const StepFamily& family, const Device& device) {
  if (device.runs_rocm) return rocm_code;
  if (family.roles == StepFamily::Roles::dense) return dense_roles;
  if (family.roles == StepFamily::Roles::experts) return expert_roles;
  const auto* fitted = find_fitted(family, device);
  return fitted != nullptr ? fitted->factors : unfitted_code;
}

/// Whether the device was calibrated with steps of this software and has an interval from them.
bool has_own_interval(const StepFamily& family, const Device& device) {
  return device.interval_low && device.is_calibrated_for(family.software);
}

}  // namespace

StepFamily family_of(const StepTrace& trace, const ComputeModel& model) {
  return {model.software, trace.source, trace.zero_stage.value_or(0), model.products};
}

StepFamily family_of(const RoleTrace& trace, const ComputeModel& model) {
  const auto experts = trace.parameters.find("experts");
  const bool has_experts = experts != trace.parameters.end() && experts->second != "0";
  return {.software = model.software,
          .framework = trace.source,
          .products = model.products,
          .roles = has_experts ? StepFamily::Roles::experts : StepFamily::Roles::dense};
}

bool is_fitted(const StepFamily& family, const Device& device) { return find_fitted(family, device) != nullptr; }

void ComparedSteps::add(const StepFamily& family, const Device& device) {
  if (has_own_interval(family, device)) return;
  auto& has = is_fitted(family, device) ? has_fitted : device.runs_rocm ? has_rocm : has_other;
  has = true;
}

Interval interval_of(const StepFamily& family, const Device& device, const ComparedSteps& compared) {
  auto factors = published_factors(family, device);
  if (compared.share_center())
    factors = device.runs_rocm || family.roles != StepFamily::Roles::none ? around_center_of_other_code(factors)
                                                                          : unfitted_code;
  if (!device.is_calibrated_for(family.software)) return factors;
  return {device.interval_low.value_or(factors.low), device.interval_high.value_or(factors.high)};
}

double scatter_of(const Interval& interval) {
  constexpr double below_high = 0.95;
  return std::log(interval.high / interval.low) / (2 * boost::math::quantile(boost::math::normal(), below_high));
}

double median_of(const Interval& interval) { return std::sqrt(interval.low * interval.high); }

std::string describe_interval(const StepFamily& family, const Device& device, const ComparedSteps& compared) {
  if (has_own_interval(family, device)) return "nine of ten calibrated steps";
  if (is_fitted(family, device) && !compared.share_center())
    return fmt::format("nine of ten published steps of this kind on {}", device.name);
  if (family.roles == StepFamily::Roles::dense && !device.runs_rocm)
    return "nine of ten published steps with tensor, pipeline or context parallelism";
  if (family.roles == StepFamily::Roles::experts && !device.runs_rocm)
    return "nine of ten published steps with experts";
  if (device.runs_rocm) return "all of six published steps on AMD's devices";
  return "nine of ten published steps of code bases that nothing was fitted to";
}

}  // namespace ringmark::replay
