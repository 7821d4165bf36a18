#include "analysis/job/timed_calls.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "base/units.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis::job {
namespace {

constexpr std::size_t least_calls = 10;

/// The ranks' times of one call.
using CallTimes = std::map<int, const TimedCall*>;
/// By communicator, operation and size, then by sequence.
using TimedGroups = std::map<std::tuple<std::size_t, std::string, std::uint64_t>, std::map<std::uint64_t, CallTimes>>;

TimedGroups groups_of(const Evidence& evidence) {
  TimedGroups groups;
  for (const auto& each : evidence.timed)
    groups[{each.communicator, each.operation, each.size_bytes}][each.sequence][each.rank] = &each;
  return groups;
}

const TimedCall& last_to_enter(const CallTimes& times) {
  return *std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
            return a.second->time_us < b.second->time_us;
          })->second;
}

struct LateTally {
  std::size_t calls = 0;
  std::map<int, std::vector<double>> waited_shares;  ///< by the rank that was last
};

void add(LateTally& tally, const CallTimes& times) {
  const auto& last = last_to_enter(times);
  std::vector<double> others;
  for (const auto& [rank, call] : times) {
    if (rank != last.rank) others.push_back(call->time_us);
  }
  const double usual = median(std::move(others));
  ++tally.calls;
  tally.waited_shares[last.rank].push_back(usual > 0 ? (usual - last.time_us) / usual : 0);
}

/// The baseline at the nearest size; nothing if it has no such collective.
std::optional<double> expected(const std::vector<BaselineRow>& baseline, const std::string& operation, int ranks,
                               std::uint64_t size_bytes) {
  const auto distance = [&](double size) { return std::abs(std::log2(size / static_cast<double>(size_bytes))); };
  double nearest = 1;
  for (const auto& row : baseline) {
    if (row.operation == operation && row.ranks == ranks && row.size_bytes > 0)
      nearest = std::min(nearest, distance(row.size_bytes));
  }
  std::vector<double> found;
  for (const auto& row : baseline) {
    if (row.operation == operation && row.ranks == ranks && row.size_bytes > 0 && distance(row.size_bytes) <= nearest)
      found.push_back(row.busbw_GBps);
  }
  return found.empty() ? std::nullopt : std::optional(median(std::move(found)));
}

}  // namespace

std::vector<Finding> late_entries(const Evidence& evidence) {
  std::map<std::size_t, LateTally> tallies;
  for (const auto& [key, calls] : groups_of(evidence)) {
    for (const auto& [sequence, times] : calls) {
      if (times.size() > 2) add(tallies[std::get<0>(key)], times);
    }
  }
  std::vector<Finding> findings;
  for (const auto& [communicator, tally] : tallies) {
    for (const auto& [rank, shares] : tally.waited_shares) {
      constexpr double most_often = 0.8, enough = 0.2;
      const double share = median(shares);
      if (tally.calls < least_calls ||
          static_cast<double>(shares.size()) < most_often * static_cast<double>(tally.calls) || share < enough)
        continue;
      Finding finding{.kind = FindingKind::enters_late, .ranks = {rank}, .communicator = communicator};
      finding.sentence =
          fmt::format("{} enters last in {} of {} collectives of {}: the others wait {:.0f} % of their time",
                      ranks_text(evidence, communicator, {rank}), shares.size(), tally.calls,
                      name(evidence.communicators[communicator]), 100 * share);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> slow_collectives(const Evidence& evidence, const std::vector<BaselineRow>& baseline,
                                      double tolerated_share) {
  std::vector<Finding> findings;
  for (const auto& [key, calls] : groups_of(evidence)) {
    const auto& [communicator, operation, size_bytes] = key;
    const auto ranks = evidence.communicators[communicator].size;
    const auto usual = size_bytes > 0 ? expected(baseline, operation, ranks, size_bytes) : std::nullopt;
    if (!usual || calls.size() < least_calls) continue;
    std::vector<double> busbw_GBps;
    for (const auto& [sequence, times] : calls) busbw_GBps.push_back(last_to_enter(times).busbw_GBps);
    const double middle = median(std::move(busbw_GBps));
    if (middle >= (1 - tolerated_share) * *usual) continue;
    findings.push_back(
        {.kind = FindingKind::slow,
         .communicator = communicator,
         .operation = operation,
         .size_bytes = size_bytes,
         .sentence = fmt::format("{} of {} in {} reaches {} GB/s bus bandwidth, {:.0f} % of the baseline's {} GB/s",
                                 operation, format_size(size_bytes), name(evidence.communicators[communicator]),
                                 short_number(middle), 100 * middle / *usual, short_number(*usual)),
         .reason = fmt::format("the median of {} calls on {} ranks", calls.size(), ranks)});
  }
  return findings;
}

}  // namespace ringmark::analysis::job
