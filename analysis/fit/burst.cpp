#include "analysis/fit/burst.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/table/usable_rows.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

/// The times of one test's messages by size, one for each row.
using TimesBySize = std::map<double, std::vector<double>>;

struct Path {
  TimesBySize latency, bandwidth, burst;
};

/// Rounded to whole KiB, the accuracy of the measurement. Nothing if the message was too short to determine it.
std::optional<double> burst_bytes(const Path& path, double rate_GBps) {
  const auto& [size, times_us] = *path.burst.rbegin();
  // Two latencies: the time ends when the destination has acknowledged.
  const double latency_us = path.latency.empty() ? 0 : median(path.latency.begin()->second);
  const double missing = size - (median(times_us) - 2 * latency_us) * rate_GBps * 1e3;
  // A message that fits into the burst gives only a lower bound.
  constexpr double most_of_it = 0.8;
  if (missing > most_of_it * size) return std::nullopt;
  return 1024 * std::round(std::max(0.0, missing) / 1024);
}

}  // namespace

std::vector<FitBurst> bursts_in(const Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::string>& notes) {
  std::map<std::pair<std::string, std::string>, Path> paths;
  for (const auto row : link_rows(table, rows)) {
    auto& path = paths[{table.text("transport")[row], table.text("network")[row]}];
    const auto test = parse_link_test(table.text("collective")[row]);
    auto& times = test == LinkTest::burst ? path.burst : test == LinkTest::bandwidth ? path.bandwidth : path.latency;
    times[table.number("size_bytes")[row]].push_back(table.number("time_us_p50")[row]);
  }
  std::vector<FitBurst> bursts;
  for (const auto& [name, path] : paths) {
    if (path.burst.empty() || path.bandwidth.empty()) continue;
    const auto& [size, times_us] = *path.bandwidth.rbegin();
    const double rate_GBps = size / median(times_us) * 1e-3;
    const auto called =
        fmt::format("the burst of {} over {}", name.first, name.second.empty() ? "an unknown network" : name.second);
    const auto bytes = burst_bytes(path, rate_GBps);
    if (!bytes) {
      notes.push_back(fmt::format("not fitted: {}: most of a {} message fits into the burst; measure larger --sizes",
                                  called, format_size(static_cast<std::size_t>(path.burst.rbegin()->first))));
      continue;
    }
    bursts.push_back({name.first, name.second, *bytes, rate_GBps});
    // The burst may recover further than it could in the rest before each message.
    constexpr double nearly = 0.9;
    if (*bytes > nearly * burst_rest_us * rate_GBps * 1e3)
      notes.push_back(
          fmt::format("{} may be larger: it had not fully recovered after {:.0f} ms", called, burst_rest_us / 1e3));
  }
  return bursts;
}

}  // namespace ringmark::analysis
