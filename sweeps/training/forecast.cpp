#include "sweeps/training/forecast.hpp"

#include <algorithm>
#include <numeric>

#include "replay/predict/simulate.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::sweep {
namespace {

/// A network whose collectives take a factor longer.
class SlowedNetwork final : public replay::Network {
 public:
  SlowedNetwork(replay::Network& network, double factor) : network_(network), factor_(factor) {}

  replay::CollectiveTime time(const replay::Event& event, const replay::Group& group, int ranks) override {
    auto time = network_.time(event, group, ranks);
    time.total_us *= factor_;
    time.bytes_us *= factor_;
    return time;
  }
  double burst_us() const override { return network_.burst_us(); }
  std::vector<std::string> assumptions() const override { return network_.assumptions(); }

 private:
  replay::Network& network_;
  double factor_;
};

}  // namespace

Forecast::Times Forecast::simulate(const replay::StepTrace& trace, const Errors& errors,
                                   replay::Network& network) const {
  const auto model = options_.compute.model_for(trace);
  auto scene = replay::scene_of(options_, trace, model, trace.ranks);
  for (double& us : scene.durations_us) us *= errors.computation;
  auto sent = trace;
  options_.compute.scale_sizes(sent);
  SlowedNetwork slowed(network, errors.network);
  const auto timeline = replay::simulate(sent, scene, slowed).timeline;
  const auto whole = replay::times_of(sent, timeline).whole();
  return {timeline.total_us, whole.computation_us, whole.exposed_us,
          std::accumulate(scene.durations_us.begin(), scene.durations_us.end(), 0.0)};
}

Forecast::Times Forecast::simulate(const Candidate& candidate, const Errors& errors, replay::Network& network) const {
  auto times = simulate(candidate.trace, errors, network);
  if (!candidate.shorter) return times;
  const auto before = simulate(*candidate.shorter, errors, network);
  const int more = candidate.micro_steps() - candidate.trace.micro_steps;
  for (const auto part : {&Times::step_us, &Times::computation_us, &Times::exposed_us, &Times::work_us})
    times.*part += more * (times.*part - before.*part);
  return times;
}

Forecast::Known& Forecast::known(const Candidate& candidate) {
  const auto [found, is_new] = known_.try_emplace(candidate.name);
  auto& known = found->second;
  if (!is_new) return known;
  const auto network = replay::network_of(options_, options_.links);
  known.times = simulate(candidate, {}, *network);
  known.step_us[{1, 1}] = known.times.step_us;
  return known;
}

const Forecast::Times& Forecast::times(const Candidate& candidate) { return known(candidate).times; }

Forecast::Times Forecast::times_on(const Candidate& candidate, const replay::FitChoice& choice) const {
  auto options = options_;
  options.choice = choice;
  const auto network = replay::network_of(options, options.links);
  return simulate(candidate, {}, *network);
}

Forecast::Times Forecast::times_without_communication(const Candidate& candidate) const {
  const auto network = replay::network_of(options_, options_.links);
  return simulate(candidate, {.network = 0}, *network);
}

double Forecast::step_us(const Candidate& candidate, const Errors& errors) {
  auto& all = known(candidate).step_us;
  const std::pair key{errors.computation, errors.network};
  if (const auto found = all.find(key); found != all.end()) return found->second;
  const auto network = replay::network_of(options_, options_.links);
  return all[key] = simulate(candidate, errors, *network).step_us;
}

Interval Forecast::computation_errors(const replay::StepTrace& trace) const {
  const auto model = options_.compute.model_for(trace);
  if (!replay::is_modelled(options_, trace, model)) return {1, 1};
  return replay::interval_of(replay::family_of(trace, model), model.device);
}

Interval Forecast::interval_us(const Candidate& candidate) {
  const auto errors = computation_errors(candidate.trace);
  return {step_us(candidate, {errors.low, 1 - network_error}), step_us(candidate, {errors.high, 1 + network_error})};
}

Gain Forecast::gain(const Candidate& candidate, const Candidate& against) {
  Gain gain{times(candidate).step_us / times(against).step_us, {}};
  if (candidate.name == against.name) return gain;
  gain.interval = Interval{gain.ratio, gain.ratio};
  const auto shared = computation_errors(against.trace);
  constexpr double same = 1e-6;
  const bool computes_alike =
      std::abs(times(candidate).work_us - times(against).work_us) <= same * times(against).work_us;
  const double own = computes_alike ? 0 : own_error;
  for (const double computation : {shared.low, shared.high}) {
    for (const double network : {1 - network_error, 1 + network_error}) {
      for (const double of_own : {1 - own, 1 + own}) {
        const double ratio =
            step_us(candidate, {computation * of_own, network}) / step_us(against, {computation, network});
        gain.interval = Interval{std::min(gain.interval->low, ratio), std::max(gain.interval->high, ratio)};
      }
    }
  }
  return gain;
}

}  // namespace ringmark::sweep
