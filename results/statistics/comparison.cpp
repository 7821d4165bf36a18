#include "results/statistics/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/with_count.hpp"
#include "results/statistics/significance.hpp"
#include "results/statistics/welch.hpp"

namespace ringmark {
namespace {

constexpr double confidence = 0.95;

/// True if the Mann-Whitney test can reach the level left by the correction for all comparisons.
bool can_rank(std::size_t launches, std::size_t baseline_launches, std::size_t comparisons, double level) {
  return least_mann_whitney_p(launches, baseline_launches) * static_cast<double>(comparisons) < level;
}

WelchRatio welch_of(const LaunchTimes& pair) {
  if (pair.is_baseline_exact) return ratio_to_exact(pair.times_us, pair.baseline_us.front(), confidence);
  return pair.is_baseline_alike ? ratio_of_alike(pair.times_us, pair.baseline_us, confidence)
                                : welch_ratio(pair.times_us, pair.baseline_us, confidence);
}

Difference measure(const LaunchTimes& pair) {
  constexpr std::size_t least_for_bootstrap = 4;
  constexpr std::uint64_t seed = 1;  // fixed, so that every program draws the same interval
  const auto &times = pair.times_us, &baseline = pair.baseline_us;
  const auto bootstrap = ratio_of_medians(times, baseline, confidence, seed);
  const auto welch = welch_of(pair);
  Difference difference{.ratio = bootstrap.value,
                        .interval = bootstrap.interval,
                        .mean_interval = welch.interval,
                        .delta = cliffs_delta(times, baseline),
                        .launches = times.size(),
                        .baseline_launches = baseline.size(),
                        .is_baseline_exact = pair.is_baseline_exact};
  if (pair.is_baseline_exact || difference.fewest_launches() < least_for_bootstrap)
    difference.interval = welch.interval;
  return difference;
}

Verdict verdict_on(const Difference& difference, double level) {
  // Medians and ranks may disagree where launches form two clusters; no difference is shown then.
  const bool agrees = (difference.ratio < 1) == (difference.delta > 0) && difference.ratio != 1;
  if (difference.p < level && agrees) return difference.ratio < 1 ? Verdict::faster : Verdict::slower;
  // An interval this wide is useless.
  constexpr double wide = 1.25;
  const auto& interval = difference.interval;
  const bool tells = difference.by_ranks || (interval && interval->high < wide * interval->low);
  return tells ? Verdict::no_difference : Verdict::too_few;
}

constexpr double many = 2;  // above this, percentages are hard to read

bool is_told_in_times(double ratio) { return ratio >= many || ratio * many <= 1; }

double percent_less(double ratio) { return 100 * (1 - ratio); }

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"faster", "slower", "no difference shown",
                                                  "too few launches to tell"};
  return names[static_cast<std::size_t>(verdict)];
}

std::vector<Difference> compare_launches(const std::vector<LaunchTimes>& pairs, double level) {
  std::vector<Difference> differences;
  std::vector<double> p_values;
  for (auto pair : pairs) {
    auto &times = pair.times_us, &baseline = pair.baseline_us;
    // Sorted first, so that sums round the same way.
    std::sort(times.begin(), times.end());
    std::sort(baseline.begin(), baseline.end());
    auto& difference = differences.emplace_back(measure(pair));
    difference.by_ranks = !pair.is_baseline_exact && can_rank(times.size(), baseline.size(), pairs.size(), level);
    p_values.push_back(difference.by_ranks ? mann_whitney_p(times, baseline) : welch_of(pair).p.value_or(1));
  }
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i].p = corrected[i];
    differences[i].verdict = verdict_on(differences[i], level);
  }
  return differences;
}

std::size_t enough_launches(std::size_t comparisons, double level) {
  std::size_t launches = 1;
  while (!can_rank(launches, launches, comparisons, level)) ++launches;
  return launches;
}

std::string undecided_in_words(std::size_t undecided, std::size_t comparisons, double level, bool is_baseline_exact) {
  if (undecided == 0) return "";
  return fmt::format("{} of {} undecided: too few launches; {}", undecided,
                     with_count(comparisons, "comparison") + (undecided == 1 ? " is" : " are"),
                     is_baseline_exact
                         ? std::string("give three or more")
                         : fmt::format("{} of each setting are enough", enough_launches(comparisons, level)));
}

bool beats(const Difference& one, const Difference* best) {
  return one.verdict == Verdict::faster &&
         (best == nullptr || std::tie(one.ratio, one.p) < std::tie(best->ratio, best->p));
}

bool is_slower_than(const Difference& difference, double percent) {
  return difference.verdict == Verdict::slower && difference.ratio > 1 + percent / 100;
}

std::string path_mismatch(const std::set<std::string>& networks, const std::set<std::string>& baseline_networks,
                          bool is_path_asked) {
  for (const auto* side : {&networks, &baseline_networks}) {
    if (side->size() > 1) return fmt::format("launches of one setting used {}", fmt::join(*side, " and "));
  }
  if (is_path_asked || networks.empty() || baseline_networks.empty() || networks == baseline_networks) return "";
  return fmt::format("one used {}, the other {}", *networks.begin(), *baseline_networks.begin());
}

std::string in_words(const Difference& difference) {
  const auto launches = difference.is_baseline_exact
                            ? fmt::format(" ({})", with_count(difference.launches, "launch"))
                            : fmt::format(" ({} against {})", difference.launches, difference.baseline_launches);
  const auto verdict = std::string(name(difference.verdict));
  if (difference.verdict == Verdict::too_few) return verdict + launches;
  const bool is_shown = difference.verdict != Verdict::no_difference;
  if (!difference.interval) return (is_shown ? difference_words(difference.ratio) : verdict) + launches;
  if (is_shown) return difference_words(difference.ratio, *difference.interval);
  const auto [low, high] = *difference.interval;
  // The interval covers this comparison alone, the verdict covers all of them.
  const bool is_one_sided = low > 1 || high < 1;
  return fmt::format("{}{} ({} to {})", verdict,
                     is_one_sided ? " among this many comparisons; more launches may show one" : "",
                     difference_words(low), difference_words(high));
}

std::string judged_in_words(const Difference& difference, bool is_in_doubt) {
  if (!is_in_doubt || !is_decided(difference.verdict)) return in_words(difference);
  return fmt::format("undecided: in doubt (measured {})", difference_words(difference.ratio));
}

std::string_view judged_name(Verdict verdict, bool is_in_doubt) {
  return is_in_doubt && is_decided(verdict) ? "undecided" : name(verdict);
}

std::string difference_words(double ratio, Interval interval) {
  const auto [low, high] = interval;
  const auto words = difference_words(ratio);
  if (low <= 1 && high >= 1) return fmt::format("{} ({} to {})", words, difference_words(low), difference_words(high));
  if (is_told_in_times(ratio)) {
    return fmt::format("{} ({:.1f} to {:.1f})", words, ratio > 1 ? low : 1 / high, ratio > 1 ? high : 1 / low);
  }
  const auto a = std::abs(percent_less(low)), b = std::abs(percent_less(high));
  return fmt::format("{} ({:.1f} to {:.1f})", words, std::min(a, b), std::max(a, b));
}

std::string difference_words(double ratio) {
  if (is_told_in_times(ratio)) {
    return fmt::format("{:.1f} times {}", std::max(ratio, 1 / ratio), ratio > 1 ? "slower" : "faster");
  }
  const double percent = percent_less(ratio);
  return fmt::format("{:.1f} % {}", std::abs(percent), percent >= 0 ? "faster" : "slower");
}

}  // namespace ringmark
