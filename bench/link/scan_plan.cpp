#include "bench/link/scan_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ringmark {
namespace {

/// The default time: a scan of many steps takes about a minute including warm-ups.
constexpr std::chrono::duration<double> usual_time{45}, least_time{0.1};

/// "0 to 1, 2 to 3"; incasts as "1, 2, 3 to 0".
std::string in_words(const LinkStep& step) {
  constexpr std::size_t most = 8;
  const auto groups = by_destination(step);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    std::string sources;
    for (const auto& link : groups[i]) sources += fmt::format("{}{}", sources.empty() ? "" : ", ", link.source);
    text += fmt::format("{}{} to {}",
                        text.empty()           ? ""
                        : groups[i].size() > 1 ? "; "
                                               : ", ",
                        sources, groups[i].front().destination);
  }
  return groups.size() > most ? text + fmt::format(", and {} more", groups.size() - most) : text;
}

}  // namespace

ScanPlan plan_scan(const LinkOptions& options, const std::vector<std::string>& ways_out) {
  ScanPlan plan{steps_of(options.pairs, ways_out, static_cast<std::size_t>(options.most_at_once), options.leaf_of),
                {},
                options.max_time.count()};
  for (const auto test : options.tests) {
    for (const auto bytes : test == LinkTest::latency ? options.latency_sizes : options.bandwidth_sizes)
      plan.measurements.emplace_back(test, bytes);
  }
  const auto rows = plan.steps.size() * plan.measurements.size();
  if (!options.time_is_given && rows > 0)
    plan.max_time_s =
        std::clamp(usual_time / static_cast<double>(rows), least_time, std::max(least_time, options.max_time)).count();
  return plan;
}

bool ScanPlan::has_pairs_at_once() const {
  return std::any_of(steps.begin(), steps.end(), [](const LinkStep& step) { return step.size() > 1; });
}

std::vector<LinkMeasurement> ScanPlan::repeats(const LinkOptions& options) const {
  const auto last = std::find_if(measurements.rbegin(), measurements.rend(),
                                 [](const auto& each) { return each.first == LinkTest::bandwidth; });
  if (last == measurements.rend() || !has_pairs_at_once()) return {};
  std::size_t links = 0;
  for (const auto& step : steps) links += step.size();
  return std::vector(std::min(links, static_cast<std::size_t>(options.repeat_alone)), *last);
}

std::string in_words(const LinkOptions& options, const ScanPlan& plan) {
  std::size_t links = 0, most = 0;
  for (const auto& step : plan.steps) {
    links += step.size();
    most = std::max(most, step.size());
  }
  const auto text = fmt::format("# {} links in {} steps, at most {} at once", links, plan.steps.size(), most);
  return options.iterations ? text : text + fmt::format(" (--max-time {:.2g})", plan.max_time_s);
}

std::string explain_scan(const LinkOptions& options, int ranks) {
  std::vector<std::string> ways_out;
  for (int rank = 0; rank < ranks; ++rank) ways_out.push_back(fmt::format("rank {}", rank));
  const auto plan = plan_scan(options, ways_out);
  auto text = in_words(options, plan);
  if (!options.iterations) {
    // Includes the warm-up, which takes half of the measuring time.
    constexpr double with_warmup = 1.5;
    const auto measurements = plan.steps.size() * plan.measurements.size() + plan.repeats(options).size();
    text += fmt::format(": up to {:.0f} s, or longer if a message takes longer than --max-time",
                        std::ceil(with_warmup * plan.max_time_s * static_cast<double>(measurements)));
  }
  text += "\n";
  constexpr std::size_t most = 40;
  for (std::size_t i = 0; i < std::min(most, plan.steps.size()); ++i)
    text += fmt::format("step {}: {}\n", i + 1, in_words(plan.steps[i]));
  if (plan.steps.size() > most) text += fmt::format("and {} more steps\n", plan.steps.size() - most);
  return text;
}

}  // namespace ringmark
