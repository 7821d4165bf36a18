// Predicted times of a tuning's steps, and what is certain about two of them despite the errors of predictions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/flags/predict_options.hpp"
#include "results/statistics/statistics.hpp"
#include "sweeps/training/step_space.hpp"

namespace ringmark::sweep {

/// A ratio of step times: below 1 the first step is faster.
struct Gain {
  double ratio = 1;
  std::optional<Interval> interval;

  /// Whether the interval leaves no doubt that the first step is faster.
  bool is_sure() const { return interval && interval->high < 1; }
};

/// Six of seven predictions of exposed communication are at most this far from live steps
/// (docs/evidence/predictions.md, steps in a lab: 31 of 36 stages within 15 %).
constexpr double network_error = 0.15;
/// Nine of ten steps of one code base are at most this far from predictions whose constants were fitted to it
/// (docs/evidence/predictions.md): the predicted ratio of two steps of one training run that compute differently has no
/// larger error.
constexpr double own_error = 0.09;

class Forecast {
 public:
  /// `options` must outlive it.
  explicit Forecast(const replay::PredictOptions& options) : options_(options) {}

  struct Times {
    double step_us = 0, computation_us = 0, exposed_us = 0;
    double work_us = 0;  ///< of all computations
  };
  /// The predicted times of a step, cached by its name.
  const Times& times(const Candidate& candidate);
  /// The times on another network.
  Times times_on(const Candidate& candidate, const replay::FitChoice& choice) const;
  /// The times if communication took no time.
  Times times_without_communication(const Candidate& candidate) const;

  /// The interval that contains the times of nine in ten such steps.
  Interval interval_us(const Candidate& candidate);

  /// The gain of `candidate` over `against`. Errors that both share, of the device and the network, cancel to the
  /// extent that the two are alike.
  Gain gain(const Candidate& candidate, const Candidate& against);

 private:
  /// Ratios of the true times to the predicted ones.
  struct Errors {
    double computation = 1, network = 1;
  };
  struct Known {
    Times times;
    double work_us = 0;                                   ///< of all its computations
    std::map<std::pair<double, double>, double> step_us;  ///< by the errors
  };

  Times simulate(const replay::StepTrace& trace, const Errors& errors, replay::Network& network) const;
  Times simulate(const Candidate& candidate, const Errors& errors, replay::Network& network) const;
  double step_us(const Candidate& candidate, const Errors& errors);
  Known& known(const Candidate& candidate);
  Interval computation_errors(const replay::StepTrace& trace) const;

  const replay::PredictOptions& options_;
  std::map<std::string, Known> known_;
};

}  // namespace ringmark::sweep
