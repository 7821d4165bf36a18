#include "bench/link/sharing.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bench/link/link_findings.hpp"

namespace ringmark {
namespace {

/// By the fastest sample, as links are judged.
double rate_GBps(const Record& record) {
  constexpr double bytes_per_us_per_GBps = 1e3;
  const auto time_us = record.time_us_min.value_or(0);
  return time_us > 0 ? static_cast<double>(record.size_bytes) / time_us / bytes_per_us_per_GBps : 0;
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

std::vector<SharedLink> find_shared(const std::vector<Record>& at_once, const std::vector<Record>& alone) {
  constexpr double least_ratio = 1.25;
  std::vector<SharedLink> shared;
  for (const auto& row : alone) {
    const auto same = [&](const Record& other) {
      return other.link == row.link && other.collective == row.collective && other.size_bytes == row.size_bytes;
    };
    const auto found = std::find_if(at_once.begin(), at_once.end(), same);
    if (found == at_once.end() || rate_GBps(row) < least_ratio * rate_GBps(*found)) continue;
    shared.push_back({*row.link, rate_GBps(*found), rate_GBps(row)});
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
    return fmt::format("{} links, measured again one at a time, are no faster alone than all at once\n",
                       measured_alone);
  const auto called = [&](int rank) {
    return fmt::format("rank {} on {}", rank, hosts[static_cast<std::size_t>(rank)]);
  };
  auto text = fmt::format(
      "{} of {} links, measured again one at a time, are slow only at once: they share something with others, such as "
      "an uplink\n",
      shared.size(), measured_alone);
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, shared.size()); ++i) {
    const auto& each = shared[i];
    text += fmt::format("  {} to {}: {:.4g} GB/s at once, {:.4g} alone\n", called(each.link.source),
                        called(each.link.destination), each.at_once_GBps, each.alone_GBps);
  }
  return text;
}

}  // namespace ringmark
