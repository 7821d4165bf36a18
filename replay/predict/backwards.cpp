#include "replay/predict/backwards.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "replay/step/interval.hpp"

namespace ringmark::replay {
namespace {

/// Typical deviations, as factors: a standard deviation of the logarithm. Networks: what collectives achieve of a
/// link's nominal rate. Outside the model: data loading and host work that are not hidden, as a share of the step.
/// Computation with measured times: their scatter.
constexpr double typical_network = 1.25, typical_outside = 1.10, typical_measured_times = 1.05;
constexpr double least_typical = 1.01;

constexpr double least_scale = 1e-6, most_scale = 1e6;
/// A step that is fast enough even at this bandwidth does not depend on bandwidth.
constexpr double least_solved_GBps = 1e-6;

class FreeNetwork final : public Network {
 public:
  CollectiveTime time(const Event& /*event*/, const Group& /*group*/, int /*ranks*/) override { return {}; }
  double burst_us() const override { return 0; }
  std::vector<std::string> assumptions() const override { return {}; }
};

/// Bisects the logarithm between a value where `holds` is false and one where it is true. Returns the value closest to
/// the former where it is true.
template <class Holds>
double first_that_holds(double fails, double succeeds, Holds holds) {
  constexpr double tolerance = 1e-7;
  while (std::abs(std::log(succeeds / fails)) > tolerance) {
    const double middle = std::sqrt(fails * succeeds);
    (holds(middle) ? succeeds : fails) = middle;
  }
  return succeeds;
}

/// The value at which the step takes as long as measured, by the monotonic `time_s_of`. The step is shortest at the
/// limit `fastest` and longest at `slowest`.
template <class Time>
Explanation explanation_of(Cause cause, double given, double fastest, double slowest, double measured_s,
                           Time time_s_of) {
  Explanation result{.cause = cause, .given = given, .needed = {}};
  for (const double limit : {fastest, slowest}) {
    const double time_s = time_s_of(limit);
    if (limit == fastest ? time_s > measured_s : time_s < measured_s) {
      result.limit_s = time_s;
      return result;
    }
  }
  // If the time is constant over a range of values, take the value nearest to the given one.
  const double given_s = time_s_of(given);
  if (given_s == measured_s) {
    result.needed = given;
  } else if (given_s < measured_s) {
    result.needed = first_that_holds(given, slowest, [&](double value) { return time_s_of(value) >= measured_s; });
  } else {
    result.needed = first_that_holds(given, fastest, [&](double value) { return time_s_of(value) <= measured_s; });
  }
  return result;
}

double surprise_of(const Explanation& explanation, double predicted_s) {
  const double ratio = explanation.cause == Cause::outside
                           ? 1 + *explanation.needed / predicted_s
                           : *explanation.needed / explanation.given / explanation.usual;
  return std::abs(std::log(ratio)) / std::log(explanation.typical);
}

}  // namespace

RepeatableStep repeatable(const StepTrace& trace, Scene scene, const Links& links) {
  return {.time_on_s =
              [&trace, scene = std::move(scene)](Network& network, double scale) {
                auto scaled = scene;
                for (auto& duration : scaled.durations_us) duration *= scale;
                return simulate(trace, scaled, network).timeline.total_us / 1e6;
              },
          .links = links};
}

RepeatableStep repeatable(const RoleTrace& trace, RoleScene scene, const Links& links) {
  return {.time_on_s =
              [&trace, scene = std::move(scene)](Network& network, double scale) {
                auto scaled = scene;
                for (auto& pass : scaled.durations_us) {
                  for (auto& duration : pass) duration *= scale;
                }
                return simulate(trace, scaled, network).total_us / 1e6;
              },
          .links = links};
}

double RepeatableStep::ideal_s() const {
  FreeNetwork network;
  return time_on_s(network, 1);
}

Explanations explain(const RepeatableStep& step, double measured_s, const std::optional<Interval>& factors,
                     const std::optional<double>& peak_share) {
  Explanations result{.measured_s = measured_s, .predicted_s = step.time_s(), .interval_s = {}, .all = {}};
  if (factors) result.interval_s = {factors->low * result.predicted_s, factors->high * result.predicted_s};
  const auto add_bandwidth = [&](Cause cause, const Link& given, const std::function<Links(const Link&)>& links_with) {
    result.all.push_back(
        explanation_of(cause, given.GBps, unlimited_GBps, least_solved_GBps, measured_s, [&](double GBps) {
          return step.time_s(links_with({given.alpha_us, GBps}));
        }));
    result.all.back().typical = typical_network;
  };
  if (step.has_typed_links)
    add_bandwidth(Cause::bandwidth, step.links.between, [&](const Link& between) {
      auto links = step.links;
      links.between = between;
      return links;
    });
  if (step.links.within)
    add_bandwidth(Cause::within_bandwidth, *step.links.within, [&](const Link& within) {
      auto links = step.links;
      links.within = within;
      return links;
    });
  const double fastest = std::min(1.0, peak_share.value_or(least_scale));
  result.all.push_back(explanation_of(Cause::computation, 1, fastest, most_scale, measured_s,
                                      [&](double scale) { return step.time_s(step.links, scale); }));
  if (factors) {
    result.all.back().usual = median_of(*factors);
    result.all.back().typical = std::max(least_typical, std::exp(scatter_of(*factors)));
  } else {
    result.all.back().typical = typical_measured_times;
  }
  Explanation outside{.cause = Cause::outside, .needed = {}, .typical = typical_outside};
  if (measured_s >= result.predicted_s) outside.needed = measured_s - result.predicted_s;
  result.all.push_back(outside);
  for (auto& each : result.all) {
    if (each.needed) each.surprise = surprise_of(each, result.predicted_s);
  }
  return result;
}

const Explanation* likeliest(const Explanations& explanations) {
  if (explanations.is_expected()) return nullptr;
  const Explanation* best = nullptr;
  for (const auto& each : explanations.all) {
    if (each.needed && (best == nullptr || each.surprise < best->surprise)) best = &each;
  }
  return best;
}

Solution solve_bandwidth(const RepeatableStep& step, double wanted_percent) {
  Solution result{.what = Solve::bandwidth, .wanted_percent = wanted_percent, .value = {}, .ideal_s = step.ideal_s()};
  const auto percent_at = [&](double GBps) {
    auto links = step.links;
    links.between.GBps = GBps;
    return 100 * result.ideal_s / step.time_s(links);
  };
  result.percent = percent_at(unlimited_GBps);
  if (result.percent < wanted_percent) return result;
  const auto reaches = [&](double GBps) { return percent_at(GBps) >= wanted_percent; };
  const bool is_independent = reaches(least_solved_GBps);
  result.value = is_independent ? 0 : first_that_holds(least_solved_GBps, unlimited_GBps, reaches);
  result.percent = percent_at(is_independent ? least_solved_GBps : *result.value);
  return result;
}

Solution solve_ranks(const std::function<IdealAndTime(int ranks)>& step_of, int unit, double wanted_percent) {
  Solution result{.what = Solve::ranks, .wanted_percent = wanted_percent, .value = {}, .unit = unit};
  const int most = std::max(1, most_ranks_solved / unit);
  int reaches = 0, fails = 0;  // multiples of the unit
  const auto reached_by = [&](int multiple) {
    const auto step = step_of(multiple * unit);
    const bool is_reached = step.percent() >= wanted_percent;
    if (is_reached || multiple == 1) {
      result.ideal_s = step.ideal_s;
      result.percent = step.percent();
    }
    if (is_reached) result.value = multiple * unit;
    if (!is_reached) result.next_percent = step.percent();
    (is_reached ? reaches : fails) = multiple;
    return is_reached;
  };
  for (int multiple = 1; reached_by(multiple) && multiple < most;) multiple = std::min(2 * multiple, most);
  while (fails > reaches + 1 && reaches > 0) reached_by((reaches + fails) / 2);
  return result;
}

}  // namespace ringmark::replay
