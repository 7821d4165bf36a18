#include "bench/link/link_findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/units.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/statistics/slow_ends.hpp"

namespace ringmark {
namespace {

constexpr double level = 0.01;
/// A link is outside the normal scatter if it is this many times further from the typical time than the fastest link.
constexpr double outside = 4;

using Links = std::vector<LinkTime>;

/// The fastest sample; for a row without one, the median or the time implied by its bandwidth.
double time_of(const Record& record) {
  if (record.time_us_min) return *record.time_us_min;
  if (record.time_us_p50) return *record.time_us_p50;
  return static_cast<double>(record.size_bytes) / record.algbw_GBps.value_or(0) / bytes_per_us_per_GBps;
}

double rate_GBps(std::uint64_t size_bytes, double time_us) {
  return static_cast<double>(size_bytes) / time_us / bytes_per_us_per_GBps;
}

/// The lower quartile: with few hosts, a single bad one affects half of the links and hence the median.
double typical_of(const Links& links) {
  std::vector<double> times;
  for (const auto& link : links) times.push_back(link.time_us);
  std::sort(times.begin(), times.end());
  return times[(times.size() - 1) / 4];
}

const LinkTime* find(const Links& links, std::size_t from, std::size_t to) {
  const auto found =
      std::find_if(links.begin(), links.end(), [&](const auto& each) { return each.from == from && each.to == to; });
  return found == links.end() ? nullptr : &*found;
}

std::vector<SlowLink> slow_links(const Links& links, LinkTest test, double typical_us, const LinkLimits& limits) {
  double fastest_us = typical_us;
  for (const auto& link : links) fastest_us = std::min(fastest_us, link.time_us);
  const double least_ratio = std::max(limits.least_ratio_of_link, std::pow(typical_us / fastest_us, outside));
  const auto is_slow = [&](double time_us) {
    return time_us >= least_ratio * typical_us && time_us >= typical_us + limits.least_extra_us;
  };
  std::vector<SlowLink> slow;
  for (const auto& link : links) {
    // A round trip takes equally long from either end.
    const auto* back = test == LinkTest::latency ? find(links, link.to, link.from) : nullptr;
    if (!is_slow(link.time_us) || (back != nullptr && !is_slow(back->time_us))) continue;
    slow.push_back({static_cast<int>(link.from), static_cast<int>(link.to), link.time_us, link.time_us / typical_us});
  }
  std::sort(slow.begin(), slow.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  return slow;
}

/// The only rank that is an end of every slow link; empty if there is none, or more than one.
std::optional<SlowRank> common_end(const std::vector<SlowLink>& links, int ranks) {
  std::optional<SlowRank> common;
  for (int rank = 0; rank < ranks && links.size() > 1; ++rank) {
    const auto has_it = [&](const SlowLink& link) { return link.source == rank || link.destination == rank; };
    if (!std::all_of(links.begin(), links.end(), has_it)) continue;
    if (common) return std::nullopt;
    common = SlowRank{rank, links[links.size() / 2].ratio, std::nullopt};
  }
  return common;
}

LinkFindings judge(LinkTest test, std::uint64_t size_bytes, Links links, int ranks, bool ranks_share_cores,
                   double best_GBps) {
  const auto limits = limits_of(test, ranks_share_cores);
  LinkFindings found{.test = test, .size_bytes = size_bytes, .typical_us = typical_of(links)};
  if (test == LinkTest::bandwidth && !is_limited_by_link(size_bytes, found.typical_us, best_GBps)) return found;
  for (const auto& slow :
       slow_ends(links, static_cast<std::size_t>(ranks), {.level = level, .least_ratio = limits.least_ratio_of_rank})) {
    if ((slow.ratio - 1) * found.typical_us < limits.least_extra_us) continue;
    found.ranks.push_back({static_cast<int>(slow.end), slow.ratio, slow.p});
    std::erase_if(links, [&](const auto& link) { return link.from == slow.end || link.to == slow.end; });
  }
  std::sort(found.ranks.begin(), found.ranks.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  found.links = slow_links(links, test, found.typical_us, limits);
  if (const auto common = common_end(found.links, ranks)) found.ranks.push_back(*common);
  return found;
}

std::string table_of(const LinkFindings& each) {
  return fmt::format("{} of {}", name(each.test), format_size(each.size_bytes));
}

std::string answer_about(const LinkFindings& each, const SlowRank& rank, const std::vector<std::string>& hosts) {
  if (!rank.p) return fmt::format("{}: every slow link has {} as an end", table_of(each), on_host(rank.rank, hosts));
  const auto how = each.test == LinkTest::latency
                       ? fmt::format("take {:.2f} times as long as the others'", rank.ratio)
                       : fmt::format("have {:.0f} % of the others' bandwidth", 100 / rank.ratio);
  return fmt::format("{} is slow: its links {} ({}, p {:.1g})", on_host(rank.rank, hosts), how, table_of(each),
                     *rank.p);
}

std::string line_about(const LinkFindings& each, const SlowLink& link, const std::vector<std::string>& hosts) {
  return fmt::format("{}: {} to {} takes {:.4g} us, {:.1f} times the typical time", table_of(each),
                     on_host(link.source, hosts), on_host(link.destination, hosts), link.time_us, link.ratio);
}

}  // namespace

LinkLimits limits_of(LinkTest test, bool ranks_share_cores) {
  constexpr double time_slice_us = 1000;
  if (test != LinkTest::latency) return {.least_ratio_of_rank = 1.1, .least_ratio_of_link = 1.25};
  return {.least_ratio_of_rank = 2, .least_ratio_of_link = 2, .least_extra_us = ranks_share_cores ? time_slice_us : 0};
}

bool is_limited_by_link(std::uint64_t size_bytes, double time_us, double best_GBps) {
  constexpr double least_share = 0.5;
  return rate_GBps(size_bytes, time_us) >= least_share * best_GBps;
}

bool LinkFindings::is_slow(int source, int destination) const {
  const auto is_end = [&](const SlowRank& each) { return each.p && (each.rank == source || each.rank == destination); };
  const auto is_it = [&](const SlowLink& each) { return each.source == source && each.destination == destination; };
  return std::any_of(ranks.begin(), ranks.end(), is_end) || std::any_of(links.begin(), links.end(), is_it);
}

std::vector<LinkFindings> judge_links(const std::vector<Record>& records, int ranks, bool ranks_share_cores) {
  struct Measured {
    Links between_hosts, within_host;
  };
  std::map<std::pair<LinkTest, std::uint64_t>, Measured> tables;
  for (const auto& record : records) {
    auto& table = tables[{std::get<LinkTest>(record.collective.only().value()), record.size_bytes}];
    const auto& [source, destination] = record.link.value();
    (record.nodes == 1 ? table.within_host : table.between_hosts)
        .push_back({static_cast<std::size_t>(source), static_cast<std::size_t>(destination), time_of(record)});
  }
  const auto judged = [](Measured& table) -> Links& {
    return table.between_hosts.empty() ? table.within_host : table.between_hosts;
  };
  double best_GBps = 0;
  for (auto& [key, table] : tables) {
    if (key.first == LinkTest::bandwidth)
      best_GBps = std::max(best_GBps, rate_GBps(key.second, typical_of(judged(table))));
  }
  std::vector<LinkFindings> all;
  for (auto& [key, table] : tables) {
    auto& links = judged(table);
    if (links.size() > 1)
      all.push_back(judge(key.first, key.second, std::move(links), ranks, ranks_share_cores, best_GBps));
  }
  return all;
}

std::string in_words(const std::vector<LinkFindings>& findings, const std::vector<std::string>& hosts) {
  if (findings.empty()) return "";
  // A slow rank explains more than a slow link, and a rank found by the test more than a common end of slow links.
  std::vector<std::string> tested, common, links;
  for (const auto& each : findings) {
    for (const auto& rank : each.ranks) (rank.p ? tested : common).push_back(answer_about(each, rank, hosts));
    for (const auto& link : each.links) links.push_back(line_about(each, link, hosts));
  }
  std::vector<std::string> lines;
  for (const auto* some : {&tested, &common, &links}) lines.insert(lines.end(), some->begin(), some->end());
  if (lines.empty()) return "\nno rank or link stands out\n";
  constexpr std::size_t most = 6;  // the answer and five more
  auto text = fmt::format("\n{}\n", lines.front());
  for (std::size_t i = 1; i < std::min(most, lines.size()); ++i) text += fmt::format("  {}\n", lines[i]);
  if (lines.size() > most) text += fmt::format("  … and {} more, marked below\n", lines.size() - most);
  return text;
}

}  // namespace ringmark
