#include "analysis/recommend/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/table/column_roles.hpp"
#include "base/units.hpp"
#include "results/files/json_rows.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::analysis {
namespace {

/// The comparisons of one configuration with the baseline.
struct Case {
  int faster = 0, slower = 0, doubted = 0;
  double logs = 0;
  std::vector<const Comparison*> all;

  double mean_ratio() const { return std::exp(logs / static_cast<double>(all.size())); }
  std::size_t row() const { return all.front()->row; }
};
/// By configuration.
using Cases = std::map<std::string, Case>;

std::string named(const std::string& configuration) {
  return configuration.empty() ? "everything unset" : configuration;
}

/// A baseline with settings is not necessarily the default.
std::string keep(const std::string& baseline) {
  return fmt::format("keep the {} ({})", baseline.empty() ? "default" : "baseline", named(baseline));
}

std::string line_of(const Comparison& each) {
  return fmt::format("{} {}: {}, p {:.1g}, {} against {} launches", each.case_name, format_size(each.size_bytes),
                     each.judged_in_words(), each.p, each.times_us.size(), each.baseline_us.size());
}

/// The caveats of comparisons that would otherwise show something faster; empty if there are none.
std::string doubt_in_words(const std::vector<Comparison>& comparisons) {
  std::vector<Caveat> caveats;
  for (const auto& each : comparisons) {
    if (each.verdict == Verdict::faster && each.is_doubted()) merge(caveats, each.all_caveats());
  }
  return in_words(caveats);
}

void add_shown(const std::vector<Comparison>& comparisons, std::vector<std::string>& evidence) {
  for (const auto& each : comparisons) {
    if (each.verdict != Verdict::faster && each.verdict != Verdict::slower) continue;
    evidence.push_back(fmt::format("{}: {}", named(each.value), line_of(each)));
  }
}

/// In how many settings two rows differ.
std::ptrdiff_t changes(const Table& table, std::size_t a, std::size_t b) {
  const auto columns = choices(table);
  return std::count_if(columns.begin(), columns.end(),
                       [&](const auto& column) { return table.cell(a, column) != table.cell(b, column); });
}

/// The configuration with the fewest changes among those as fast as the fastest: less than two percent behind it
/// overall, and nowhere significantly further behind. cases.end() if none may be recommended.
Cases::const_iterator simplest_of_the_fastest(const Table& table, const std::vector<std::size_t>& rows,
                                              const CompareResult& result, const Cases& cases) {
  constexpr double as_fast_percent = 2;
  const auto may_be = [&](const Case& one) {
    return one.faster > 0 && one.slower == 0 && one.doubted == 0 && one.all.size() >= result.baseline_groups;
  };
  auto fastest = cases.end();
  for (auto each = cases.begin(); each != cases.end(); ++each) {
    if (may_be(each->second) && (fastest == cases.end() || each->second.mean_ratio() < fastest->second.mean_ratio()))
      fastest = each;
  }
  if (fastest == cases.end()) return fastest;
  const auto& configurations = table.text(configuration_column);
  const auto baseline =
      *std::find_if(rows.begin(), rows.end(), [&](auto row) { return configurations[row] == result.baseline; });
  const auto changes_of = [&](const Case& one) { return changes(table, one.row(), baseline); };
  std::vector<Cases::const_iterator> simpler;
  for (auto each = cases.begin(); each != cases.end(); ++each) {
    if (may_be(each->second) &&
        each->second.mean_ratio() < (1 + as_fast_percent / 100) * fastest->second.mean_ratio() &&
        changes_of(each->second) < changes_of(fastest->second))
      simpler.push_back(each);
  }
  if (simpler.empty()) return fastest;
  const auto against = compare(table, rows, {.by = configuration_column, .baseline = fastest->first});
  std::erase_if(simpler, [&](auto one) {
    return std::any_of(against.comparisons.begin(), against.comparisons.end(), [&](const Comparison& each) {
      return each.value == one->first && is_slower_than(each, as_fast_percent);
    });
  });
  if (simpler.empty()) return fastest;
  return *std::min_element(simpler.begin(), simpler.end(), [&](auto a, auto b) {
    return std::pair(changes_of(a->second), a->second.mean_ratio()) <
           std::pair(changes_of(b->second), b->second.mean_ratio());
  });
}

}  // namespace

Recommendation recommend(const Table& configured, const std::vector<std::size_t>& rows,
                         const std::optional<std::string>& baseline) {
  const auto result = compare(configured, rows, {.by = configuration_column, .baseline = baseline});
  Cases cases;
  for (const auto& each : result.comparisons) {
    auto& one = cases[each.value];
    one.faster += each.verdict == Verdict::faster ? 1 : 0;
    one.slower += each.verdict == Verdict::slower ? 1 : 0;
    one.doubted += each.is_doubted() ? 1 : 0;
    one.logs += std::log(each.ratio);
    one.all.push_back(&each);
  }
  Recommendation recommendation{.configuration = "",
                                .row = {},
                                .baseline = named(result.baseline),
                                .evidence = {},
                                .finding = "",
                                .by_size = result.best};
  for (const auto* lines : {&result.refused, &result.unmatched}) {
    recommendation.evidence.insert(recommendation.evidence.end(), lines->begin(), lines->end());
  }
  if (result.comparisons.empty()) {
    recommendation.finding = fmt::format("{}: nothing could be compared with it", keep(result.baseline));
    return recommendation;
  }
  if (const auto best = simplest_of_the_fastest(configured, rows, result, cases); best != cases.end()) {
    recommendation.configuration = best->first;
    recommendation.row = best->second.row();
    recommendation.finding =
        fmt::format("set {}: {} over all measurements, compared with {}", named(recommendation.configuration),
                    difference_words(best->second.mean_ratio()), recommendation.baseline);
    for (const auto* each : best->second.all) recommendation.evidence.push_back(line_of(*each));
    return recommendation;
  }
  if (const auto doubt = doubt_in_words(result.comparisons); !doubt.empty()) {
    recommendation.finding = fmt::format("nothing is recommended instead of {}: {}", recommendation.baseline, doubt);
    add_shown(result.comparisons, recommendation.evidence);
    return recommendation;
  }
  const bool depends =
      std::any_of(result.best.begin(), result.best.end(), [](const BestRange& range) { return range.is_shown; });
  recommendation.finding =
      fmt::format("{}: {}", keep(result.baseline),
                  depends ? "each configuration that is faster at some sizes is slower, or was not measured, at others"
                          : "nothing was significantly faster");
  add_shown(result.comparisons, recommendation.evidence);
  return recommendation;
}

std::string to_json(const Recommendation& recommendation) {
  std::vector<JsonRow> rows;
  for (const auto& range : recommendation.by_size) {
    rows.push_back({{"schema", "recommendation/1"},
                    {"thing", range.case_name},
                    {"setting", range.setting},
                    {"from_bytes", range.from_bytes},
                    {"to_bytes", range.to_bytes},
                    {"best_here", range.value},
                    {"is_shown", range.is_shown},
                    {"is_in_doubt", range.is_doubted},
                    {"recommended", recommendation.row ? JsonRow(recommendation.configuration) : JsonRow()},
                    {"baseline", recommendation.baseline},
                    {"finding", recommendation.finding}});
  }
  return json_rows(rows);
}

}  // namespace ringmark::analysis
