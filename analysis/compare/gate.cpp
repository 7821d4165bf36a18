#include "analysis/compare/gate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/table/groups.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

std::string called(const Comparison& each) {
  return fmt::format("{}{}{} {}, {}", each.case_name, each.setting.empty() ? "" : ", ", each.setting,
                     format_size(each.size_bytes), shown(each.value));
}

std::string interval_words(const Interval& interval) {
  return fmt::format("{} to {}", difference_words(interval.low), difference_words(interval.high));
}

/// Half the width of the interval, as the logarithm of a ratio.
double half_width(const Interval& interval) { return std::log(interval.high / interval.low) / 2; }

bool chose_differently(const Comparison& each) { return each.algorithms_used != each.baseline_algorithms_used; }

/// True if the two sides have an algorithm in common and one of them also used another: its times are then a mixture.
bool is_mixed(const Comparison& each) {
  const auto& other = each.baseline_algorithms_used;
  return chose_differently(each) && std::any_of(each.algorithms_used.begin(), each.algorithms_used.end(),
                                                [&](const auto& algorithm) { return other.contains(algorithm); });
}

std::string algorithm_words(const Comparison& each) {
  auto all = each.algorithms_used;
  all.insert(each.baseline_algorithms_used.begin(), each.baseline_algorithms_used.end());
  return all.size() > 1 ? fmt::format("; they used {}: choose one with --algorithm", fmt::join(all, " and ")) : "";
}

enum class Answer { within, slower, doubted, scatters, unclear };

struct Judged {
  Answer answer;
  std::string why;
};

class Gate {
 public:
  explicit Gate(double limit_percent) : limit_(std::log1p(limit_percent / 100)), percent_(limit_percent) {}

  Judged judge(const Comparison& each) const {
    if (forbid_decision(each.caveats) != forbid_decision(each.baseline_caveats))
      return {Answer::unclear, fmt::format("only one side is in doubt: {}", in_words(each.all_caveats()))};
    if (each.is_doubted()) return {Answer::doubted, fmt::format("in doubt: {}", in_words(each.all_caveats()))};
    if (each.is_by_rounds)
      return {Answer::unclear,
              "its times are rounds of a single launch, and launches may differ by more: measure more launches"};
    const auto launches = each.is_baseline_exact
                              ? with_count(each.launches, "launch")
                              : fmt::format("{} against {} launches", each.launches, each.baseline_launches);
    constexpr double nobody_asks = 10;
    const auto& interval = each.mean_interval;
    if (!interval || interval->high >= nobody_asks * interval->low)
      return {interval ? Answer::scatters : Answer::unclear,
              each.is_baseline_exact ? fmt::format("{}: too few to decide, give three or more", launches)
                                     : fmt::format("{} are too few to decide: give five of each", launches)};
    if (std::log(interval->high) < limit_) return {Answer::within, ""};
    if (each.verdict == Verdict::slower && !is_mixed(each))
      return {Answer::slower, in_words(each) + (chose_differently(each) ? algorithm_words(each) : "")};
    const bool scatters = half_width(*interval) >= share_of_the_limit * limit_;
    return {scatters || is_mixed(each) ? Answer::scatters : Answer::unclear,
            fmt::format("{} with {}{}", interval_words(*interval), launches,
                        is_mixed(each) ? algorithm_words(each) : more_launches(each))};
  }

 private:
  /// While half the interval is below this share of the limit, unchanged launches nearly always pass: their ratio
  /// scatters around 1 by about a third of the half.
  static constexpr double share_of_the_limit = 0.5;

  std::string more_launches(const Comparison& each) const {
    constexpr std::size_t too_many = 50;
    const double factor = half_width(*each.mean_interval) / (share_of_the_limit * limit_);
    const auto have = static_cast<double>(each.fewest_launches());
    const auto enough = static_cast<std::size_t>(std::ceil(have * std::max(1.0, factor * factor))) + 1;
    return enough < too_many
               ? fmt::format("; about {}{} would be enough", enough, each.is_baseline_exact ? "" : " of each")
               : fmt::format("; leave this size out, or allow more than {} %", percent_);
  }

  double limit_;  ///< as the logarithm of a ratio
  double percent_;
};

/// Appends the first twenty lines, each with the heading.
void append_lines(std::string& text, std::string_view heading, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) text += fmt::format("  {}: {}\n", heading, lines[i]);
  if (lines.size() > most) text += fmt::format("  … and {} more\n", lines.size() - most);
}

}  // namespace

GateFinding judge(const CompareResult& result, double limit_percent) {
  const Gate gate(limit_percent);
  GateFinding finding;
  std::vector<Judged> answers;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> within;
  for (const auto& each : result.comparisons) {
    answers.push_back(gate.judge(each));
    if (answers.back().answer != Answer::within) continue;
    ++within[{each.case_name, each.setting, each.value}];
    ++finding.within;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& each = result.comparisons[i];
    const auto line = fmt::format("{}: {}", called(each), answers[i].why);
    if (answers[i].answer == Answer::slower) finding.slower.push_back(line);
    if (answers[i].answer == Answer::unclear) finding.undecided.push_back(line);
    if (answers[i].answer == Answer::doubted || answers[i].answer == Answer::scatters) {
      const bool is_decided_elsewhere = answers[i].answer == Answer::doubted
                                            ? finding.within > 0
                                            : within.contains({each.case_name, each.setting, each.value});
      (is_decided_elsewhere ? finding.set_aside : finding.undecided).push_back(line);
    }
  }
  for (const auto* lines : {&result.refused, &result.unmatched})
    finding.undecided.insert(finding.undecided.end(), lines->begin(), lines->end());
  return finding;
}

std::string print(const GateFinding& finding, double limit_percent) {
  constexpr std::string_view words[] = {"passes", "fails", "cannot tell"};
  auto text = fmt::format("gate: {}: {} within {} %, {} slower, {} undecided, {} set aside\n",
                          words[static_cast<std::size_t>(finding.outcome())], finding.within, limit_percent,
                          finding.slower.size(), finding.undecided.size(), finding.set_aside.size());
  append_lines(text, "slower", finding.slower);
  append_lines(text, "undecided", finding.undecided);
  append_lines(text, "set aside", finding.set_aside);
  return text;
}

}  // namespace ringmark::analysis
