#include "analysis/compare/compare.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/compare/matching.hpp"
#include "analysis/compare/slowdowns.hpp"
#include "analysis/table/groups.hpp"

namespace ringmark::analysis {
namespace {

std::vector<BestRange> best_ranges(const CompareResult& result) {
  struct AtSize {
    const Comparison* best = nullptr;
    std::size_t baseline_row = 0;
    bool is_doubted = false;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, AtSize>> sizes;
  for (const auto& each : result.comparisons) {
    auto& at = sizes[{each.case_name, each.setting}][each.size_bytes];
    at.baseline_row = each.baseline_row;
    if (!each.is_doubted() && beats(each, at.best)) at.best = &each;
    at.is_doubted = at.is_doubted || each.is_doubted();
  }
  std::vector<BestRange> ranges;
  for (const auto& [key, by_size] : sizes) {
    for (const auto& [size, at] : by_size) {
      const auto& value = at.best != nullptr ? at.best->value : result.baseline;
      const bool is_doubted = at.best == nullptr && at.is_doubted;
      const bool continues = !ranges.empty() && ranges.back().case_name == key.first &&
                             ranges.back().setting == key.second && ranges.back().value == value &&
                             ranges.back().is_doubted == is_doubted;
      if (continues) {
        ranges.back().to_bytes = size;
      } else {
        const auto row = at.best != nullptr ? at.best->row : at.baseline_row;
        ranges.push_back({key.first, key.second, size, size, value, row, at.best != nullptr, is_doubted});
      }
    }
  }
  return ranges;
}

}  // namespace

CompareResult compare(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options) {
  auto matches = match(table, rows, options.by, options.baseline, options.slowdowns_first, options.is_baseline_alike);
  CompareResult result{std::move(matches.matching), {}, {}};
  // A store has many cases that one night's results lack.
  if (!options.is_baseline_alike)
    result.unmatched.insert(result.unmatched.end(), matches.only_in_baseline.begin(), matches.only_in_baseline.end());
  std::vector<LaunchTimes> launches;
  for (auto& pair : matches.pairs) {
    if (options.is_baseline_exact) pair.baseline_us = {median(std::move(pair.baseline_us))};
    launches.push_back({pair.times_us, pair.baseline_us, options.is_baseline_exact, options.is_baseline_alike});
  }
  const auto differences = compare_launches(launches, options.level);
  auto& comparisons = result.comparisons;
  for (std::size_t i = 0; i < differences.size(); ++i)
    comparisons.push_back({std::move(matches.pairs[i]), differences[i]});
  std::sort(comparisons.begin(), comparisons.end(), [](const Comparison& a, const Comparison& b) {
    if (std::tie(a.case_name, a.setting) != std::tie(b.case_name, b.setting)) {
      return std::tie(a.case_name, a.setting) < std::tie(b.case_name, b.setting);
    }
    return a.value != b.value ? reads_before(a.value, b.value) : a.size_bytes < b.size_bytes;
  });
  if (result.by != beside_column) result.best = best_ranges(result);  // running alone is not a setting to recommend
  return result;
}

}  // namespace ringmark::analysis
