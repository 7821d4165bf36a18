#include "sweeps/training/shortlist.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "replay/generate/memory_fit.hpp"

namespace ringmark::sweep {

double device_bytes_of(const replay::PredictOptions& options) {
  return options.compute.device ? options.compute.device->memory_GiB * (1ULL << 30U) : 0;
}

bool fits(const Candidate& candidate, double device_bytes) {
  return device_bytes <= 0 || candidate.trace.memory.empty() || replay::fits(candidate.trace.memory, device_bytes);
}

namespace {

/// The maximum number of other steps that are tried with the framework's settings.
constexpr std::size_t most_others = 12;

void add(Candidates found, double device_bytes, Shortlist& list) {
  auto& part = list.part;
  part.candidates += found.all.size();
  part.alike += found.alike;
  part.refused.insert(part.refused.end(), found.refused.begin(), found.refused.end());
  part.out_of_memory += std::erase_if(found.all, [&](const Candidate& each) { return !fits(each, device_bytes); });
  std::move(found.all.begin(), found.all.end(), std::back_inserter(list.fitting));
}

/// Adds candidates based on other steps whose computations alone take less time than the fastest step so far.
void add_others(Part part, StepSpace& space, Forecast& forecast, const Candidate& base,
                const std::vector<Candidate>& others, Shortlist& list) {
  const auto step_us = [&](const Candidate& each) { return forecast.times(each).step_us; };
  double fastest_us = INFINITY;
  for (const auto& each : list.fitting) fastest_us = std::min(fastest_us, step_us(each));
  std::size_t tried = 0;
  for (const auto& other : others) {
    if (other.name == base.name || forecast.times_without_communication(other).step_us >= fastest_us) continue;
    if (tried++ == most_others) break;
    auto found = space.candidates(part, other);
    found.refused.clear();
    found.all.erase(found.all.begin());
    for (const auto& each : found.all) fastest_us = std::min(fastest_us, step_us(each));
    add(std::move(found), device_bytes_of(space.options()), list);
  }
}

}  // namespace

Shortlist shortlist(Part part, StepSpace& space, Forecast& forecast, const Candidate& base, std::size_t most,
                    const std::vector<Candidate>& others) {
  Shortlist list{.all = {}, .part = {.part = part}, .fitting = {}};
  add(space.candidates(part, base), device_bytes_of(space.options()), list);
  add_others(part, space, forecast, base, others, list);
  if (list.fitting.empty()) return list;
  std::stable_sort(list.fitting.begin(), list.fitting.end(), [&](const Candidate& a, const Candidate& b) {
    return forecast.times(a).step_us < forecast.times(b).step_us;
  });
  list.all = list.fitting;
  const auto& best = list.fitting.front();
  const auto is_base = [&](const Candidate& each) { return each.name == base.name; };
  list.part.surely_slower = std::erase_if(list.all, [&](const Candidate& each) {
    if (is_base(each) || each.name == best.name) return false;
    const auto gain = forecast.gain(each, best);
    return gain.interval && gain.interval->low > 1;
  });
  std::stable_partition(list.all.begin(), list.all.end(), is_base);
  list.all.resize(std::min(list.all.size(), std::max<std::size_t>(most, 1)));
  for (const auto& each : list.all) {
    for (const auto& knob : all_knobs()) {
      if (knob.needs_patch && each.description.changes.contains(std::string(knob.name)))
        list.part.needs_patch.push_back(in_words(each.description.changes));
    }
  }
  return list;
}

}  // namespace ringmark::sweep
