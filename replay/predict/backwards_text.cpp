#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "replay/predict/backwards.hpp"

namespace ringmark::replay {
namespace {

/// A single cause is unlikely to deviate further.
constexpr double most_surprise = 3;

std::string shown_seconds(double value) { return short_number(value) + " s"; }

std::string subject_of(Cause cause, const Links& links, const std::string& device) {
  switch (cause) {
    case Cause::bandwidth:
      return links.within ? "bandwidth of a node" : "bandwidth of a rank";
    case Cause::within_bandwidth:
      return "bandwidth within a node";
    case Cause::computation:
      return device.empty() ? "computation" : "efficiency of " + device;
    case Cause::outside:
      return "time outside the model";
  }
  return {};
}

std::string describe_needed(const Explanation& one, const std::optional<double>& peak_share) {
  const double needed = *one.needed;
  switch (one.cause) {
    case Cause::bandwidth:
    case Cause::within_bandwidth:
      return fmt::format("{} GB/s instead of {}", short_number(needed), short_number(one.given));
    case Cause::computation: {
      auto text = fmt::format("computations {} times as long", short_number(needed));
      if (peak_share)
        text += fmt::format(": matrix products at {} % of the peak instead of {}",
                            short_number(100 * *peak_share / needed), short_number(100 * *peak_share));
      return text;
    }
    case Cause::outside:
      return fmt::format("{} in each step, such as data loading or host work", shown_seconds(needed));
  }
  return {};
}

std::string describe_impossible(const Explanation& one, double measured_s) {
  const bool is_too_slow = one.limit_s > measured_s;
  switch (one.cause) {
    case Cause::bandwidth:
    case Cause::within_bandwidth:
      return is_too_slow ? fmt::format("no bandwidth explains it: even with unlimited bandwidth, the step takes {}",
                                       shown_seconds(one.limit_s))
                         : fmt::format("no bandwidth explains it: even with almost none, the step takes {}",
                                       shown_seconds(one.limit_s));
    case Cause::computation:
      return is_too_slow ? fmt::format("no computation speed explains it: even at the fastest, the step takes {}",
                                       shown_seconds(one.limit_s))
                         : fmt::format("no computation speed explains it: even at the slowest, the step takes {}",
                                       shown_seconds(one.limit_s));
    case Cause::outside:
      return "cannot explain the measured time: the step is faster than predicted";
  }
  return {};
}

std::string answer_of_bandwidth(const Solution& solution, const std::string& wanted, bool is_of_node) {
  const auto* whose = is_of_node ? "node" : "rank";
  if (!solution.value)
    return fmt::format("no bandwidth reaches {}: unlimited bandwidth per {} reaches {:.2f} %", wanted, whose,
                       solution.percent);
  if (*solution.value == 0)
    return fmt::format("solved: any bandwidth per {} reaches {}, since the step does not depend on it", whose, wanted);
  return fmt::format("solved: {} GB/s is the smallest bandwidth per {} that reaches {}", short_number(*solution.value),
                     whose, wanted);
}

std::string answer_of_ranks(const Solution& solution, const std::string& wanted) {
  if (!solution.value)
    return fmt::format("no number of ranks reaches {}: even the fewest, {}, reach only {:.2f} %", wanted,
                       with_count(static_cast<std::size_t>(solution.unit), "rank"), solution.percent);
  auto reached = fmt::format("{:.2f} %", solution.percent);
  std::string beyond = "more ranks were not tried";
  if (solution.next_percent) {
    auto next = fmt::format("{:.2f} %", *solution.next_percent);
    constexpr int most_decimals = 6;
    for (int decimals = 3; next == reached && decimals <= most_decimals; ++decimals) {
      reached = fmt::format("{:.{}f} %", solution.percent, decimals);
      next = fmt::format("{:.{}f} %", *solution.next_percent, decimals);
    }
    const double others = *solution.value + solution.unit;
    beyond =
        next == reached ? fmt::format("{:.0f} just miss it", others) : fmt::format("{:.0f} reach {}", others, next);
  }
  return fmt::format("solved: up to {} reach {}: {}; {}", with_count(static_cast<std::size_t>(*solution.value), "rank"),
                     wanted, reached, beyond);
}

}  // namespace

std::string key_of(Cause cause) {
  switch (cause) {
    case Cause::bandwidth:
      return "bandwidth_GBps";
    case Cause::within_bandwidth:
      return "within_bandwidth_GBps";
    case Cause::computation:
      return "computation_scale";
    case Cause::outside:
      return "outside_s";
  }
  return {};
}

std::string print(const Explanations& explanations, const Links& links, const std::string& device,
                  const std::optional<double>& peak_share) {
  auto text = fmt::format("\nmeasured {}, {} times the prediction of {}", shown_seconds(explanations.measured_s),
                          short_number(explanations.measured_s / explanations.predicted_s),
                          shown_seconds(explanations.predicted_s));
  text +=
      explanations.is_expected() ? ": within the prediction's interval, so nothing needs to be explained.\n" : ".\n";
  text += "Each of these alone would explain the measured time:\n";
  std::vector<std::vector<std::string>> lines{{"what", "value"}};
  for (const auto& each : explanations.all)
    lines.push_back({subject_of(each.cause, links, device), each.needed
                                                                ? describe_needed(each, peak_share)
                                                                : describe_impossible(each, explanations.measured_s)});
  text += print_table(std::move(lines));
  if (explanations.is_expected()) return text;
  const auto* best = likeliest(explanations);
  if (best == nullptr) return text + "likeliest: none; check the step's description and the measured time\n";
  text +=
      fmt::format("likeliest: {}, which would be {} times its typical deviation (a factor of {}) off\n",
                  subject_of(best->cause, links, device), short_number(best->surprise), short_number(best->typical));
  if (best->surprise > most_surprise)
    text += fmt::format(
        "more than {} times is unlikely for a single cause: check that the step and the network match what ran\n",
        short_number(most_surprise));
  return text;
}

std::string print(const Solution& solution, const Links& links) {
  const auto wanted = fmt::format("{} % of the ideal speed", short_number(solution.wanted_percent));
  const bool is_bandwidth = solution.what == Solve::bandwidth;
  const auto answer = is_bandwidth ? answer_of_bandwidth(solution, wanted, links.within.has_value())
                                   : answer_of_ranks(solution, wanted);
  const bool is_compared = is_bandwidth && solution.value.value_or(0) > 0 && links.between.GBps != *solution.value;
  const auto given = is_compared ? fmt::format("; given: {} GB/s", short_number(links.between.GBps)) : "";
  return fmt::format("\n{}\n  ideal: {} per step on a perfect network{}\n", answer, shown_seconds(solution.ideal_s),
                     given);
}

}  // namespace ringmark::replay
