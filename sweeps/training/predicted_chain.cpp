#include "sweeps/training/predicted_chain.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/generate/memory_fit.hpp"
#include "results/files/provenance.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/training/shortlist.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::size_t no_limit = 2000;
/// The maximum number of undecided candidates to list.
constexpr std::size_t most_undecided = 8;

TunedPoint point_of(std::string name, const Candidate& candidate, Forecast& forecast) {
  const auto& times = forecast.times(candidate);
  const auto interval = forecast.interval_us(candidate);
  return {.name = std::move(name),
          .step_ms = times.step_us / 1e3,
          .interval_ms = Interval{interval.low / 1e3, interval.high / 1e3},
          .exposed_ms = times.exposed_us / 1e3,
          .samples_per_s = static_cast<double>(candidate.samples()) * 1e6 / times.step_us};
}

/// The settings of the transport that a fit has, the default ones first.
std::set<std::string> settings_in(const replay::PredictOptions& options) {
  std::set<std::string> settings;
  if (!options.fit) return settings;
  for (const auto& model : options.fit->models) {
    const auto& [transport, network, chosen] = options.choice;
    if ((transport.empty() || model.transport == transport) && (network.empty() || model.network == network))
      settings.insert(model.settings);
  }
  return settings;
}

/// Only a fit contains the effects of the transport's settings.
PartResult predict_collective(const StepSpace& space, Forecast& forecast) {
  PartResult part{.part = Part::collective, .candidates = 1};
  const auto& own = space.own();
  const auto& times = forecast.times(own);
  const double bound = forecast.times_without_communication(own).step_us / times.step_us;
  part.finding = fmt::format(
      "keep the default: predictions do not cover the transport's settings. With a network that takes no time the step "
      "would be {}, which bounds what these settings can gain",
      difference_words(bound));
  const auto settings = settings_in(space.options());
  if (settings.size() < 2) return part;
  part.candidates = settings.size();
  for (const auto& each : settings) {
    auto choice = space.options().choice;
    choice.settings = each;
    const double ratio = forecast.times_on(own, choice).step_us / times.step_us;
    if (ratio < 1)
      part.undecided.push_back(fmt::format("{}: {}", each.empty() ? "nothing set" : each, difference_words(ratio)));
  }
  part.finding =
      fmt::format("keep the default: of the fit's {} settings, {} are predicted to be faster; launches must decide",
                  settings.size(), part.undecided.empty() ? "none" : std::to_string(part.undecided.size()));
  return part;
}

/// Returns the step after the part, and fills in `part`.
Candidate predict_part(Part which, StepSpace& space, Forecast& forecast, const Candidate& base,
                       std::vector<Candidate>& others, PartResult& part) {
  part.part = which;
  if (const auto why = space.why_fixed(); !why.empty()) {
    part.candidates = 1;
    part.finding = why;
    return base;
  }
  auto list = shortlist(which, space, forecast, base, no_limit, others);
  part = std::move(list.part);
  others = std::move(list.fitting);
  if (list.all.empty()) {
    part.finding = "no candidate fits into the device's memory";
    return base;
  }
  const bool base_fits = list.all.front().name == base.name;
  const auto fastest = std::min_element(list.all.begin(), list.all.end(), [&](const auto& a, const auto& b) {
    return forecast.times(a).step_us < forecast.times(b).step_us;
  });
  const auto gain = forecast.gain(*fastest, base);
  const bool is_taken = fastest->name != base.name && (gain.is_sure() || !base_fits);
  const auto& taken = is_taken ? *fastest : base;
  part.gain = forecast.gain(taken, base);
  part.chosen = new_changes(taken.description, base.description);
  for (const auto& each : list.all) {
    if (each.name == taken.name || part.undecided.size() == most_undecided) continue;
    const auto of_it = forecast.gain(each, taken);
    if (of_it.interval && of_it.interval->low < 1 && of_it.interval->high > 1)
      part.undecided.push_back(fmt::format("{}: {}", in_words(each.description.changes), in_words(of_it)));
  }
  if (!is_taken) {
    part.finding = fmt::format("keep the default: {}", fastest->name == base.name
                                                           ? "nothing is predicted to be faster"
                                                           : "every predicted gain is within the prediction error");
  } else {
    part.finding = fmt::format("set {}: {}{}", in_words(part.chosen), in_words(part.gain),
                               base_fits ? "" : "; the default does not fit into the device's memory");
  }
  return taken;
}

}  // namespace

TunedRun begin_tuned_run(const StepSpace& space) {
  const auto& own = space.own();
  TunedRun tuned;
  tuned.model = own.trace.model;
  tuned.framework = own.trace.source;
  tuned.ranks = own.trace.ranks;
  tuned.global_batch = space.global_batch();
  tuned.calls = issued_calls(space.whole_trace(own));
  tuned.memory = {.own_bytes = own.memory_bytes(),
                  .best_bytes = own.memory_bytes(),
                  .usable_bytes = device_bytes_of(space.options()) * replay::usable_share};
  tuned.best = own.description;
  tuned.own = space.given();
  tuned.version = version();
  return tuned;
}

TunedRun predicted_chain(const TrainingRun& run, StepSpace& space) {
  if (run.network.empty())
    throw BadUsage(
        Problem{.flag = "network",
                .text = "is missing, but predictions need it",
                .remedy = "give {alpha-us: 5, bandwidth-GBps: 12.5}, or {fit: fit.json} of ringmark-analyze fit",
                .place = Place{run.file, 1}});
  Forecast forecast(space.options());
  auto tuned = begin_tuned_run(space);
  tuned.is_predicted = true;
  const auto& own = space.own();
  tuned.waterfall.push_back(point_of("default", own, forecast));
  tuned.parts.push_back(predict_collective(space, forecast));
  tuned.waterfall.push_back(point_of("collective", own, forecast));
  auto step = own;
  std::vector<Candidate> others;
  for (const auto which : {Part::strategy, Part::framework}) {
    auto& part = tuned.parts.emplace_back();
    step = predict_part(which, space, forecast, step, others, part);
    tuned.waterfall.push_back(point_of(std::string(name(which)), step, forecast));
  }
  tuned.whole = forecast.gain(step, own);
  tuned.best = step.description;
  tuned.memory.best_bytes = step.memory_bytes();
  tuned.ready.evidence = "predicted: " + in_words(tuned.whole);
  const bool is_kept = step.name == own.name;
  const bool is_open = std::any_of(tuned.parts.begin(), tuned.parts.end(),
                                   [](const PartResult& part) { return !part.undecided.empty(); });
  tuned.verdict = fmt::format(
      "{}{}",
      is_kept ? "Keep the default: no change is predicted to be faster beyond doubt."
              : fmt::format("Predicted: {}: {}.", in_words(step.description.changes), in_words(tuned.whole)),
      is_open ? " Some choices are within the prediction error: run without --predict to decide." : "");
  return tuned;
}

}  // namespace ringmark::sweep
