#include "analysis/compare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/groups.hpp"
#include "analysis/matching.hpp"
#include "analysis/significance.hpp"
#include "results/comparison.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t least_for_bootstrap = 4;

void judge(Comparison& comparison, std::uint64_t seed) {
  const auto& [a, b] = std::tie(comparison.times_us, comparison.baseline_us);
  const auto bootstrap = ratio_of_medians(a, b, 0.95, seed);
  comparison.ratio = bootstrap.value;
  comparison.delta = cliffs_delta(a, b);
  if (std::min(a.size(), b.size()) >= least_for_bootstrap) {
    comparison.interval = bootstrap.interval;
  } else {
    comparison.interval = ratio_of(a, b, 0.95).interval;
  }
}

void test_all(std::vector<Comparison>& comparisons, double level) {
  const auto all = static_cast<double>(comparisons.size());
  std::vector<double> p_values;
  for (auto& comparison : comparisons) {
    const auto& [a, b] = std::tie(comparison.times_us, comparison.baseline_us);
    comparison.by_ranks = least_mann_whitney_p(a.size(), b.size()) * all < level;
    p_values.push_back(comparison.by_ranks ? mann_whitney_p(a, b) : ratio_of(a, b, 0.95).p.value_or(1));
  }
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    auto& comparison = comparisons[i];
    comparison.p = corrected[i];
    // Medians and ranks may disagree where launches fall into two heaps: then nothing is shown.
    const bool agrees = (comparison.ratio < 1) == (comparison.delta > 0) && comparison.ratio != 1;
    const bool is_shown = comparison.p < level && agrees;
    // An interval this wide tells nothing of what one would act upon.
    constexpr double wide = 1.25;
    const auto& interval = comparison.interval;
    const bool tells = comparison.by_ranks || (interval && interval->high < wide * interval->low);
    comparison.verdict = is_shown ? (comparison.ratio < 1 ? Verdict::faster : Verdict::slower)
                         : tells  ? Verdict::no_difference
                                  : Verdict::too_few;
  }
}

std::vector<BestRange> best_ranges(const CompareResult& result) {
  struct AtSize {
    const Comparison* best = nullptr;
    std::size_t baseline_row = 0;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, AtSize>> sizes;
  for (const auto& each : result.comparisons) {
    auto& at = sizes[{each.thing, each.setting}][each.size_bytes];
    at.baseline_row = each.baseline_row;
    if (each.verdict != Verdict::faster) continue;
    if (at.best == nullptr || median(each.times_us) < median(at.best->times_us)) at.best = &each;
  }
  std::vector<BestRange> ranges;
  for (const auto& [key, by_size] : sizes) {
    for (const auto& [size, at] : by_size) {
      const auto& value = at.best != nullptr ? at.best->value : result.baseline;
      const bool continues = !ranges.empty() && ranges.back().thing == key.first &&
                             ranges.back().setting == key.second && ranges.back().value == value;
      if (continues) {
        ranges.back().to_bytes = size;
      } else {
        const auto row = at.best != nullptr ? at.best->row : at.baseline_row;
        ranges.push_back({key.first, key.second, size, size, value, row, at.best != nullptr});
      }
    }
  }
  return ranges;
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"faster", "slower", "no difference shown",
                                                  "too few launches to tell"};
  return names[static_cast<std::size_t>(verdict)];
}

CompareResult compare(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options) {
  auto matches = match(table, rows, options.by, options.baseline);
  CompareResult result{std::move(matches.matching), {}, {}};
  auto& comparisons = result.comparisons;
  for (auto& pair : matches.pairs) {
    comparisons.push_back({std::move(pair)});
    judge(comparisons.back(), comparisons.size());
  }
  std::sort(comparisons.begin(), comparisons.end(), [](const Comparison& a, const Comparison& b) {
    if (std::tie(a.thing, a.setting) != std::tie(b.thing, b.setting)) {
      return std::tie(a.thing, a.setting) < std::tie(b.thing, b.setting);
    }
    return a.value != b.value ? reads_before(a.value, b.value) : a.size_bytes < b.size_bytes;
  });
  test_all(comparisons, options.level);
  result.best = best_ranges(result);
  return result;
}

std::string in_words(const Comparison& comparison) {
  const auto launches = fmt::format(" ({} against {})", comparison.times_us.size(), comparison.baseline_us.size());
  if (comparison.verdict == Verdict::too_few) return std::string(name(Verdict::too_few)) + launches;
  if (!comparison.interval) {
    const bool is_shown = comparison.verdict != Verdict::no_difference;
    return (is_shown ? difference_words(comparison.ratio) : std::string(name(comparison.verdict))) + launches;
  }
  if (comparison.verdict != Verdict::no_difference) return with_interval(comparison.ratio, *comparison.interval);
  const auto [low, high] = *comparison.interval;
  // The interval is of this comparison alone, the verdict of all.
  const bool is_one_sided = low > 1 || high < 1;
  return fmt::format("{}{} ({} to {})", name(comparison.verdict),
                     is_one_sided ? " among so many comparisons; more launches may" : "", difference_words(low),
                     difference_words(high));
}

bool is_slower_than(const Comparison& comparison, double percent) {
  return comparison.verdict == Verdict::slower && comparison.ratio > 1 + percent / 100;
}

bool may_be_slower_than(const Comparison& comparison, double percent) {
  return comparison.verdict == Verdict::no_difference && comparison.ratio > 1 + percent / 100;
}

}  // namespace ringmark::analysis
