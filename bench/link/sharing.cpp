#include "bench/link/sharing.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.hpp"
#include "bench/link/link_findings.hpp"
#include "results/files/rank_hosts.hpp"

namespace ringmark {
namespace {

/// By the fastest sample, as for judging links.
double rate_GBps(const Record& record) {
  const auto time_us = record.time_us_min.value_or(0);
  return time_us > 0 ? static_cast<double>(record.size_bytes) / time_us / bytes_per_us_per_GBps : 0;
}

/// The minimum ratio of a link's rate alone to its concurrent rate.
constexpr double least_ratio = 1.25;

double median_GBps(const Record& record) { return record.algbw_GBps.value_or(0); }

const Record* find_same(const std::vector<Record>& rows, const Record& row) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Record& other) {
    return other.link == row.link && other.collective == row.collective && other.size_bytes == row.size_bytes;
  });
  return found == rows.end() ? nullptr : &*found;
}

/// By how much the total rate of a step's links exceeds that of the first measurement.
double gain_GBps(const Again& again, const std::vector<Record>& at_once) {
  double gain = 0;
  for (const auto& row : again) {
    if (const auto* before = find_same(at_once, row)) gain += median_GBps(row) - median_GBps(*before);
  }
  return gain;
}

}  // namespace

std::vector<std::size_t> choose_for_alone(const std::vector<Record>& at_once, std::size_t most) {
  const auto is_between_hosts = [](const Record& each) {
    return each.collective == LinkTest::bandwidth && each.nodes > 1;
  };
  const bool has_between_hosts = std::any_of(at_once.begin(), at_once.end(), is_between_hosts);
  const auto counts = [&](const Record& each) {
    return each.collective == LinkTest::bandwidth && (each.nodes > 1 || !has_between_hosts) && rate_GBps(each) > 0;
  };
  double best_GBps = 0;
  for (const auto& each : at_once) {
    if (counts(each)) best_GBps = std::max(best_GBps, rate_GBps(each));
  }
  std::map<std::uint64_t, bool> is_limited;  // by size: the links limit at least one pair's messages
  for (const auto& each : at_once) {
    if (counts(each))
      is_limited[each.size_bytes] |= is_limited_by_link(each.size_bytes, each.time_us_min.value(), best_GBps);
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    const auto& each = at_once[i];
    if (each.collective == LinkTest::bandwidth && rate_GBps(each) > 0 && is_limited[each.size_bytes]) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return rate_GBps(at_once[a]) < rate_GBps(at_once[b]); });
  if (rows.size() <= most) return rows;
  const std::size_t slowest = most - most / 4, others = most - slowest;
  std::vector<std::size_t> chosen(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(slowest));
  for (std::size_t i = 1; i <= others; ++i) chosen.push_back(rows[slowest + (rows.size() - 1 - slowest) * i / others]);
  return chosen;
}

Again slower_of_both(const Again& once, const Again& twice) {
  Again slower;
  for (const auto& row : once) {
    const auto* other = find_same(twice, row);
    if (other != nullptr) slower.push_back(median_GBps(*other) < median_GBps(row) ? *other : row);
  }
  return slower;
}

std::vector<SharedLink> find_shared(const std::vector<Record>& at_once, const std::vector<Record>& alone,
                                    const std::vector<Again>& again) {
  std::vector<SharedLink> shared;
  for (const auto& row : alone) {
    const auto* before = find_same(at_once, row);
    if (before == nullptr || rate_GBps(row) < least_ratio * rate_GBps(*before)) continue;
    // The medians must confirm it: a shaper's bucket lets a single message pass faster than the link's rate.
    if (median_GBps(row) > 0 && median_GBps(row) < least_ratio * median_GBps(*before)) continue;
    auto& link = shared.emplace_back(SharedLink{*row.link, rate_GBps(*before), rate_GBps(row), row.size_bytes});
    for (const auto& step : again) {
      const auto* now = find_same(step, row);
      if (now == nullptr) continue;
      link.again_GBps = std::max(link.again_GBps, median_GBps(*now));
      // Links that always share a path gain only at each other's cost, or by running alone once the others have ended.
      // If one of k links leaves their path, the total gain is k / (k - 1) times the gain of that link.
      constexpr double least_gain = 1.25;
      link.is_collision |= median_GBps(row) < least_ratio * median_GBps(*now) &&
                           gain_GBps(step, at_once) >= least_gain * (median_GBps(row) - median_GBps(*before));
    }
  }
  std::stable_sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) {
    return a.at_once_GBps / a.alone_GBps < b.at_once_GBps / b.alone_GBps;
  });
  return shared;
}

std::string in_words(const std::vector<SharedLink>& shared, std::size_t measured_alone,
                     const std::vector<std::string>& hosts) {
  if (measured_alone == 0) return "";
  if (shared.empty())
    return fmt::format("{} links were remeasured one at a time; none was faster alone\n", measured_alone);
  const auto collisions = static_cast<std::size_t>(
      std::count_if(shared.begin(), shared.end(), [](const auto& each) { return each.is_collision; }));
  auto text = fmt::format("{} of {} links measured again one at a time are slow only when others run", shared.size(),
                          measured_alone);
  const auto others = shared.size() - collisions;
  if (others > 0)
    text += fmt::format(
        ": {} with others, such as an uplink",
        collisions == 0 ? "they share something" : fmt::format("{} share{} something", others, others == 1 ? "s" : ""));
  if (collisions > 0)
    text += fmt::format("{} as fast over different connections: a hash had put several links on the same network path",
                        collisions == shared.size()
                            ? ": all are"
                            : fmt::format("; {} of them {}", collisions, collisions == 1 ? "is" : "are"));
  text += "\n";
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, shared.size()); ++i) {
    const auto& each = shared[i];
    text += fmt::format("  {} to {}: {:.4g} GB/s at once, {:.4g} alone", on_host(each.link.source, hosts),
                        on_host(each.link.destination, hosts), each.at_once_GBps, each.alone_GBps);
    if (each.again_GBps > 0) text += fmt::format(", {:.4g} at once over different connections", each.again_GBps);
    text += "\n";
  }
  return text;
}

}  // namespace ringmark
