#include "analysis/report/headline.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "analysis/text_table.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

std::string range_of(const std::vector<double>& values, const char* unit) {
  const Sorted sorted(values);
  const auto low = short_number(sorted.min()), high = short_number(sorted.max());
  return low == high ? fmt::format("{} {}", low, unit) : fmt::format("{} to {} {}", low, high, unit);
}

}  // namespace

std::vector<BestAtLargest> best_at_largest(const Table& table, const std::vector<std::size_t>& rows,
                                           const std::optional<CompareResult>& comparison,
                                           std::optional<double> limit) {
  const std::string by = comparison ? comparison->by : "configuration";
  // thing → size → value → rates
  std::map<std::string, std::map<double, std::map<std::string, std::vector<double>>>> things;
  for (const auto row : rows) {
    const auto rate = table.figure(row, "busbw_GBps");
    if (!rate || *rate <= 0 || table.text("schema")[row] == "link/1") continue;
    things[thing_of(table, row)][table.number("size_bytes")[row]][table.cell(row, by)].push_back(*rate);
  }
  std::vector<BestAtLargest> all;
  for (const auto& [thing, sizes] : things) {
    const auto& [size, values] = *sizes.rbegin();
    BestAtLargest best{.thing = thing,
                       .size_bytes = static_cast<std::uint64_t>(size),
                       .label = "",
                       .busbw_GBps = 0,
                       .of_limit_percent = {},
                       .against = ""};
    for (const auto& [value, rates] : values) {
      const double rate = median(rates);
      if (rate > best.busbw_GBps) best.busbw_GBps = rate, best.label = value;
    }
    if (limit) best.of_limit_percent = 100 * best.busbw_GBps / *limit;
    if (comparison) {
      best.is_shown = best.label == comparison->baseline && values.size() > 1;
      for (const auto& each : comparison->comparisons) {
        if (each.thing != thing || each.size_bytes != best.size_bytes) continue;
        if (each.value == best.label) {
          best.against = fmt::format("{} than {}", in_words(each), comparison->baseline);
          best.is_shown = each.verdict == Verdict::faster;
        } else if (best.label == comparison->baseline && each.verdict != Verdict::slower) {
          best.is_shown = false;
        }
      }
    }
    all.push_back(std::move(best));
  }
  return all;
}

std::string headline(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison) {
  if (best.empty()) return "No bandwidth of a collective was measured";
  std::vector<double> rates, shares;
  std::set<std::string> shown;
  std::size_t shown_count = 0;
  for (const auto& each : best) {
    rates.push_back(each.busbw_GBps);
    if (each.of_limit_percent) shares.push_back(*each.of_limit_percent);
    if (each.is_shown) shown.insert(each.label), ++shown_count;
  }
  const auto limit = shares.empty() ? "" : fmt::format(", {} of what a link carries", range_of(shares, "%"));
  const auto things = best.size() == 1 ? best[0].thing : fmt::format("all {} things measured", best.size());
  if (!comparison) return fmt::format("At the largest size {} reach{} a busbw of {}{}", things, best.size() == 1 ? "es" : "", range_of(rates, "GB/s"), limit);
  const auto name = [](const std::string& label) { return label.empty() ? std::string("the default") : label; };
  if (shown.empty()) {
    return fmt::format("No {} is shown to be the fastest at the largest size: the best reach {}{}", comparison->by,
                       range_of(rates, "GB/s"), limit);
  }
  if (shown.size() == 1) {
    const auto some = shown_count == best.size() ? things : fmt::format("{} of {} things measured", shown_count, best.size());
    return fmt::format("{} is the fastest {} at the largest size, for {}; the best reach {}{}", name(*shown.begin()),
                       comparison->by, some, range_of(rates, "GB/s"), limit);
  }
  std::vector<std::string> words;
  for (const auto& label : shown) words.push_back(name(label));
  return fmt::format("Which {} is the fastest depends on the collective ({}); the best reach {}{}", comparison->by,
                     fmt::join(words, ", "), range_of(rates, "GB/s"), limit);
}

}  // namespace ringmark::analysis
