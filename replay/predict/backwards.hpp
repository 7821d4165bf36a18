// Inverts a prediction: what would explain a measured step, and what would reach a share of the ideal speed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/predict/simulate.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {

/// A prediction that can be repeated with another network or another speed of computation.
struct RepeatableStep {
  /// The step's time in seconds on the network, with computations that take `scale` times as long.
  std::function<double(Network& network, double scale)> time_on_s;
  Links links;
  bool has_typed_links = true;  ///< otherwise the network between nodes is a fit, whose bandwidth cannot be varied
  std::function<std::unique_ptr<Network>(const Links&)> network_of = [](const Links& others) {
    return make_network(others);
  };

  double time_s(const Links& on, double scale = 1) const { return time_on_s(*network_of(on), scale); }
  double time_s() const { return time_s(links); }
  /// The step's time in seconds on a perfect network, where communication takes no time.
  double ideal_s() const;
};
/// The trace must outlive the result.
RepeatableStep repeatable(const StepTrace& trace, Scene scene, const Links& links);
RepeatableStep repeatable(const RoleTrace& trace, RoleScene scene, const Links& links);

enum class Cause { bandwidth, within_bandwidth, computation, outside };

/// A value that would explain the measured step if everything else is as predicted.
struct Explanation {
  Cause cause = Cause::bandwidth;
  /// The value in the prediction, in the unit of the cause: GB/s, a factor of computation times, or seconds.
  double given = 0;
  std::optional<double> needed;  ///< empty if no value explains it
  double limit_s = 0;            ///< if no value explains it, the step's time at the value's limit
  double usual = 1;              ///< typical measured over predicted time: the median of the prediction's interval
  /// The typical deviation from the usual value, as a factor: one standard deviation of the logarithm.
  double typical = 1;
  /// The needed change over the typical one, both as logarithms.
  double surprise = 0;
};

struct Explanations {
  double measured_s = 0, predicted_s = 0;
  std::optional<Interval> interval_s;  ///< of the prediction
  std::vector<Explanation> all;

  bool is_expected() const { return interval_s && interval_s->low <= measured_s && measured_s <= interval_s->high; }
};

/// `factors`: the prediction's interval as multiples of its time; empty if computation times are measured.
/// `peak_share`: the share of its peak that the device reaches, at most 1; empty without a device.
Explanations explain(const RepeatableStep& step, double measured_s, const std::optional<Interval>& factors,
                     const std::optional<double>& peak_share);

/// The explanation with the smallest surprise. Null if the time is within the prediction's interval, so that nothing
/// needs explaining, or if no single value explains it. Typical deviations, as factors: 1.25 for a bandwidth; for
/// computation what the interval implies, or 1.05 with measured times; 1.10 of the step for time outside the model.
const Explanation* likeliest(const Explanations& explanations);

/// "bandwidth_GBps", as in the JSON row.
std::string key_of(Cause cause);
/// `device`: its name, or empty if computation has measured times.
std::string print(const Explanations& explanations, const Links& links, const std::string& device,
                  const std::optional<double>& peak_share);

enum class Solve { bandwidth, ranks };

/// A step's speed is its ideal time over its time, in percent.
struct Solution {
  Solve what = Solve::bandwidth;
  double wanted_percent = 0;
  /// The smallest bandwidth in GB/s (0 if the step does not depend on it), or the largest number of ranks; empty if no
  /// value reaches the wanted speed.
  std::optional<double> value;
  double ideal_s = 0, percent = 0;  ///< at `value`; without one, at unlimited bandwidth or with the fewest ranks
  int unit = 1;                     ///< of ranks: only its multiples are tried
  std::optional<double> next_percent = {};  ///< of ranks: with one more unit; empty at the bound
};

Solution solve_bandwidth(const RepeatableStep& step, double wanted_percent);

/// Ideal time and time of the step, generated for this number of ranks.
struct IdealAndTime {
  double ideal_s = 0, time_s = 0;

  double percent() const { return 100 * ideal_s / time_s; }
};
constexpr int most_ranks_solved = 65'536;
/// Tries multiples of `unit`: doubles the number of ranks until the speed is too low, then bisects the last doubling.
/// Assumes that the speed does not rise with the number of ranks.
Solution solve_ranks(const std::function<IdealAndTime(int ranks)>& step_of, int unit, double wanted_percent);

std::string print(const Solution& solution, const Links& links);

}  // namespace ringmark::replay
