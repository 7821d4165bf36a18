// Compares predictions with measured steps, by family.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/published_steps.hpp"
#include "replay/step/device.hpp"
#include "replay/step/interval.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {

/// Share of a hidden collective's time that concurrent computation loses, on devices that know operators. MosaicML's
/// MPT on 8 to 512 GPUs fits about as well with 20 to 100 % (docs/evidence/predictions.md).
constexpr double usual_contention = 0.3;

/// Seconds of a step on a device, with the usual contention.
double predicted_step_s(const AnyTrace& trace, const PublishedStep& step, const Device& device);

StepFamily family_of(const AnyTrace& trace, const PublishedStep& step, const Device& device);

struct ScoredStep {
  std::string id, family;
  double measured_s = 0, predicted_s = 0;
  Interval interval{};                    ///< of the prediction, in seconds
  bool fits = true;                       ///< as predicted
  std::optional<double> memory_GiB = {};  ///< of the fullest rank
  std::string refused = {};               ///< why it is not predicted

  double error() const { return predicted_s / measured_s - 1; }
  bool is_covered() const { return interval.low <= measured_s && measured_s <= interval.high; }
};

/// The given device or else the step's own, at the step's limit of power. A given device is used unchanged if its power
/// is unknown or within the limit. Throws BadUsage for a device that does not ship.
Device device_for(const PublishedStep& step, const std::optional<Device>& given);

/// Predicts the steps with `device`, or each with its own device. For a step that cannot be predicted, `refused` states
/// the reason.
std::vector<ScoredStep> score(const std::vector<PublishedStep>& steps, const std::optional<Device>& device);

struct Score {
  std::string family;
  std::size_t steps = 0;
  double median_error = 0, p90_error = 0, worst_error = 0;  ///< absolute values
  double bias = 1;                                          ///< median of predicted over measured
  std::size_t covered = 0, called_out_of_memory = 0;
};

Score score_of(const std::string& family, const std::vector<ScoredStep>& steps);
/// A line for each family, the worst first, and one for all.
std::vector<Score> scores_of(const std::vector<ScoredStep>& steps);
std::string print(const std::vector<ScoredStep>& steps);
/// An array of JSON objects, score/1.
std::string to_json(const std::vector<ScoredStep>& steps);

}  // namespace ringmark::replay
