// How far predicted steps were from measured ones.
#pragma once

#include <string>

#include "replay/step/compute_model.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {

/// The properties of a step, in addition to its device, that determine how far predictions are off.
struct StepFamily {
  /// Of steps whose ranks have roles: without experts, or with them.
  enum class Roles { none, dense, experts };

  Software::Kind software = usual_software;
  std::string framework;  ///< with its version, as in a step trace's header; empty if unknown
  int zero_stage = 0;
  ProductType products = ProductType::models;
  Roles roles = Roles::none;
};

StepFamily family_of(const StepTrace& trace, const ComputeModel& model);
StepFamily family_of(const RoleTrace& trace, const ComputeModel& model);

/// Whether constants were fitted to steps of this family on this device: MosaicML's MPT (PyTorch's first FSDP) and
/// vTrain's GPT (DeepSpeed's stage 0).
bool is_fitted(const StepFamily& family, const Device& device);

/// The kinds of published steps behind the intervals of steps that are compared with each other, such as the rows of a
/// plan. Steps on calibrated devices are not among them: their own steps set the center.
struct ComparedSteps {
  bool has_fitted = false, has_other = false, has_rocm = false;

  void add(const StepFamily& family, const Device& device);
  /// Whether the steps share a center instead of having their own.
  bool share_center() const { return has_fitted + has_other + has_rocm > 1; }
};

/// Factors of a predicted time between which nine of ten measured ones lie: a calibrated device's own, or those of
/// published steps of this family, or of code bases to which nothing was fitted. AMD's devices have too few published
/// steps for that: the factors include all of them.
/// `compared`: the steps that this one is compared with. A comparison of devices must not depend on which of them
/// happen to have published steps of a family, so steps of several kinds all take the center of other code.
Interval interval_of(const StepFamily& family, const Device& device, const ComparedSteps& compared = {});

/// The factor that half of measured times exceed, if their logarithms are normally distributed.
double median_of(const Interval& interval);

/// The standard deviation of the logarithm, if the interval contains nine of ten.
double scatter_of(const Interval& interval);

/// How many of which steps an interval contains: "nine of ten calibrated steps".
std::string describe_interval(const StepFamily& family, const Device& device, const ComparedSteps& compared = {});

}  // namespace ringmark::replay
