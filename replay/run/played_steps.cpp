#include "replay/run/played_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/run/shared_times.hpp"
#include "results/schema/cells.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {
namespace {

template <class Get>
double median_of(const std::vector<PlayedStep>& steps, Get get) {
  std::vector<double> values;
  for (const auto& step : steps) values.push_back(get(step));
  return Sorted(values).median();
}

template <class Get>
PartTimes median_parts(const std::vector<PlayedStep>& steps, Get get) {
  const auto median = [&](double PartTimes::*part) {
    return median_of(steps, [&](const auto& step) { return get(step).*part; });
  };
  return {median(&PartTimes::computation_us), median(&PartTimes::exposed_us), median(&PartTimes::hidden_us),
          median(&PartTimes::bubble_us)};
}

}  // namespace

StepTimes PlayedSteps::typical() const {
  std::vector<std::vector<double>> columns;
  for (const auto& step : steps_) {
    const auto values = flattened(step.times);
    columns.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  }
  std::vector<double> medians;
  for (const auto& column : columns) medians.push_back(Sorted(column).median());
  return unflattened(medians);
}

PartTimes PlayedSteps::typical_whole() const {
  return median_parts(steps_, [](const PlayedStep& step) { return step.times.whole(); });
}

std::vector<RankTimes> PlayedSteps::typical_ranks() const {
  std::vector<RankTimes> ranks;
  for (std::size_t rank = 0; rank < steps_.front().ranks.size(); ++rank) {
    const auto of = [&](const PlayedStep& step) -> const RankTimes& { return step.ranks[rank]; };
    ranks.push_back({median_of(steps_, [&](const PlayedStep& step) { return of(step).total_us; }),
                     median_parts(steps_, [&](const PlayedStep& step) { return of(step).parts; }), std::nullopt});
    if (of(steps_.front()).late_us)
      ranks.back().late_us = median_of(steps_, [&](const PlayedStep& step) { return of(step).late_us.value_or(0); });
  }
  return ranks;
}

double PlayedSteps::typical_skew_us() const {
  return median_of(steps_, [](const PlayedStep& step) { return step.skew_us; });
}

int PlayedSteps::slowest_rank() const {
  std::vector<int> times_slowest(steps_.front().ranks.size());
  for (const auto& step : steps_) ++times_slowest[static_cast<std::size_t>(step.slowest_rank)];
  return static_cast<int>(std::max_element(times_slowest.begin(), times_slowest.end()) - times_slowest.begin());
}

std::optional<int> PlayedSteps::waited_for() const {
  const auto ranks = typical_ranks();
  const auto latest =
      std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.late_us < b.late_us; });
  if (!(latest->late_us.value_or(0) > 0)) return std::nullopt;
  return static_cast<int>(latest - ranks.begin());
}

Samples PlayedSteps::samples() const {
  Samples samples;
  if (steps_.empty()) return samples;
  const auto ranks = steps_.front().ranks.size();
  const double origin_us = *std::min_element(steps_.front().begin_us.begin(), steps_.front().begin_us.end());
  for (auto* matrix :
       {&samples.time_us, &samples.entry_us, &samples.computation_us, &samples.exposed_us, &samples.hidden_us})
    matrix->resize(ranks);
  if (steps_.front().ranks.front().late_us) samples.late_us.resize(ranks);
  for (const auto& step : steps_) {
    samples.clock_error_us = std::max(samples.clock_error_us, step.clock_error_us);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto& [total_us, parts, late_us] = step.ranks[rank];
      samples.time_us[rank].push_back(total_us);
      samples.entry_us[rank].push_back(step.begin_us[rank] - origin_us);
      samples.computation_us[rank].push_back(parts.computation_us);
      samples.exposed_us[rank].push_back(parts.exposed_us);
      samples.hidden_us[rank].push_back(parts.hidden_us);
      if (late_us) samples.late_us[rank].push_back(*late_us);
    }
  }
  return samples;
}

std::string result_text(const StepTrace& trace, const PlayedSteps& steps, const Record& record) {
  auto text = fmt::format("{} on {} ranks over {}: {:.3f} ms a step (median of {} steps{})", trace.id, record.ranks,
                          to_cell(record.transport), record.time_us_p50.value() / 1000, record.samples,
                          record.time_us_ci_low && record.time_us_ci_high
                              ? fmt::format("; 95 % interval {:.3f} to {:.3f}", *record.time_us_ci_low / 1000,
                                            *record.time_us_ci_high / 1000)
                              : "; too few for an interval");
  if (const auto rate = throughput(trace, record.ranks, *record.time_us_p50); !rate.empty()) text += ", " + rate;
  const auto whole = steps.typical_whole();
  text += "\n\nthe slowest rank's times, medians over the steps:\n" +
          step_table(trace, record.ranks, steps.typical(), whole) +
          "\neach rank's times, medians over the steps; lateness is summed over the collectives of all ranks (medians "
          "need not add up):\n" +
          rank_table(steps.typical_ranks());
  const double apart_us = *record.time_us_p50 - whole.computation_us - whole.exposed_us - whole.bubble_us;
  constexpr double noticeable_share = 0.02;
  if (apart_us > noticeable_share * *record.time_us_p50)
    text += fmt::format(
        "not in these parts: {:.3f} ms by which that rank began the step later than others (more ranks than cores?)\n",
        apart_us / 1000);
  text += fmt::format("slowest rank: {}", steps.slowest_rank());
  if (const auto waited = steps.waited_for()) text += fmt::format("; waited for longest: rank {}", *waited);
  text += fmt::format("; entry skew of a collective {:.1f} us on average\n", steps.typical_skew_us());
  if (record.status != Status::ok) text += fmt::format("{}: {}\n", name(record.status), record.detail);
  return text;
}

}  // namespace ringmark::replay
