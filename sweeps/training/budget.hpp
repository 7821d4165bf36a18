// The launches and the time that a tuning may use.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/system/deadline.hpp"
#include "sweeps/training/training_run.hpp"

namespace ringmark::sweep {

/// The time has run out; finished launches are kept.
class BudgetSpent final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Launches of each step of the method, of the link between hosts, and of each setting at the end.
struct Shares {
  int collective = 0, strategy = 0, framework = 0, link = 0, verify = 0;
};

/// At the end up to five settings are launched in turn: the default, the result after each step, and the last step with
/// the transport's default settings.
constexpr int most_verified = 5;
/// With six launches of each setting, a difference can be significant even after correction for four comparisons.
constexpr int most_verify = 6;
constexpr int least_verify = 2;

/// Divides the launches among the steps, each of which gets at most its part of `wanted`. Throws BadUsage, which states
/// the minimum, if there are too few.
Shares shares_of(const TrainingRun& run, const Shares& wanted);

class Budget {
 public:
  /// `spent_s` is how long the launches of earlier sessions took.
  Budget(const TrainingRun& run, double spent_s);

  double spent_s() const;
  /// The time left; empty without a limit.
  std::optional<double> left_s() const;
  /// The time limit of the next launch; throws BudgetSpent if a launch as long as the longest so far would exceed what
  /// is left.
  std::optional<std::chrono::milliseconds> next_launch();
  /// The longest launch so far, including everything that happens before the next one can start.
  double longest_s() const { return longest_s_; }
  /// Between two sweeps: the time that passes there is not part of a launch.
  void pause() { last_.reset(); }

 private:
  std::optional<double> time_s_;
  double grace_s_, spent_s_, longest_s_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> last_;
};

}  // namespace ringmark::sweep
