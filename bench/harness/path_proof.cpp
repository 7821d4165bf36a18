#include "bench/harness/path_proof.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "transports/exchange.hpp"

namespace ringmark {
namespace {

void add(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
  if (before && after) sum = sum.value_or(0) + (*after - *before);
}

/// Every rank calls it.
std::string describe_events(Control& control, const PathCounters& counters, const Places& places) {
  const auto& names = counters.event_names();
  if (names.empty()) return "";
  const auto all = exchange(control, "events", counters.events());
  // Ranks that share a port read the same counters, at other moments.
  std::map<std::string, std::vector<double>> ports;
  for (std::size_t rank = 0; rank < places.hosts.size(); ++rank) {
    auto& counts = ports[fmt::format("{} on {}", places.ways_out[rank], places.hosts[rank])];
    counts.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      counts[i] = std::max(counts[i], static_cast<double>(all[rank].at(i)));
  }
  std::vector<std::pair<double, std::string>> told;
  for (const auto& [port, counts] : ports) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (counts[i] > 0) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", names[i], counts[i]);
    }
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (sum > 0) told.emplace_back(-sum, fmt::format("{}: {}", port, text));
  }
  constexpr std::size_t most = 4;
  std::sort(told.begin(), told.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(told.size(), most); ++i) text += (i > 0 ? "; " : "") + told[i].second;
  if (told.size() > most) text += fmt::format("; less on {} more ports", told.size() - most);
  return text;
}

}  // namespace

bool on_one_host(const std::vector<std::string>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(), [&](const auto& host) { return host == hosts.front(); });
}

void PathCounters::count(bool on) {
  const auto sent = way_out_.sent_bytes();
  const auto retransmitted = way_out_.retransmits();
  const auto events = way_out_.events ? way_out_.events() : std::vector<std::uint64_t>();
  if (on) {
    events_before_ = events;
    sent_before_ = sent;
    retransmits_before_ = retransmitted;
  } else {
    add(sent_bytes_, sent_before_, sent);
    add(retransmits_, retransmits_before_, retransmitted);
    for (std::size_t i = 0; i < events.size(); ++i) events_[i] += events[i] - events_before_[i];
  }
}

PathFinding find_path(Control& control, const PathCounters& counters, const Places& places, double needed_bytes,
                      std::uint64_t operations, int slowest_rank) {
  const auto& hosts = places.hosts;
  struct Counted {
    double needed = 0;
    std::optional<std::uint64_t> sent, retransmits;
  };
  const auto all = exchange(control, "counters", Counted{needed_bytes, counters.sent_bytes(), counters.retransmits()});

  struct Count {
    double needed = 0;
    std::optional<std::uint64_t> sent, retransmits;
    int ranks = 0;
    bool is_unknown = false;
  };
  std::map<std::pair<std::string, std::string>, Count> by_way_out;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    auto& count = by_way_out[{hosts[rank], places.ways_out[rank]}];
    ++count.ranks;
    count.needed += all[rank].needed * static_cast<double>(operations);
    count.sent = std::max(count.sent, all[rank].sent);  // those who share it read the same counter, at other moments
    count.retransmits = std::max(count.retransmits, all[rank].retransmits);
    if (!all[rank].sent && all[rank].needed > 0) count.is_unknown = true;
  }

  PathFinding finding;
  const auto seen = all[static_cast<std::size_t>(slowest_rank)].sent;
  if (seen)
    finding.wire_bytes = static_cast<std::uint64_t>(static_cast<double>(*seen) / static_cast<double>(operations));
  const bool may_stay_inside = on_one_host(hosts);
  const auto inside = counters.network() == Network::tcp ? std::optional<Network>(Network::shm) : std::nullopt;
  bool all_crossed = true;
  for (const auto& [place, count] : by_way_out) {
    if (count.retransmits) finding.retransmits = finding.retransmits.value_or(0) + *count.retransmits;
    // The barriers cross the interface as well: what is not well above them proves nothing.
    constexpr double barrier_bytes_per_step = 1024;
    const double barriers = barrier_bytes_per_step * static_cast<double>(std::bit_width(hosts.size())) * count.ranks;
    if (count.is_unknown || count.needed < 4 * barriers * static_cast<double>(operations)) continue;
    finding.judged = true;
    constexpr double counting_error = 0.99;
    const auto sent = static_cast<double>(count.sent.value_or(0));
    const bool crossed = sent >= counting_error * count.needed;
    all_crossed = all_crossed && crossed;
    finding.network = all_crossed ? counters.network() : inside;
    if (crossed || may_stay_inside) continue;
    finding.bypassed = true;
    finding.detail = fmt::format("only {:.0f} of at least {:.0f} bytes left {} through {}", sent, count.needed,
                                 place.first, place.second);
  }
  finding.events = describe_events(control, counters, places);
  return finding;
}

std::optional<Network> network_of(const PathFinding& path, const WayOut& way_out, const Record& row) {
  const bool over_our_own = !path.network && way_out.is_certain && !path.judged && row.ranks > 1;
  return over_our_own ? way_out.network : path.network;
}

double least_sent_bytes(const Operation& operation, const std::vector<std::string>& hosts, int rank) {
  const auto& own_host = hosts[static_cast<std::size_t>(rank)];
  const auto ranks = static_cast<double>(hosts.size());
  const auto on_host = on_one_host(hosts) ? 1.0 : static_cast<double>(std::count(hosts.begin(), hosts.end(), own_host));
  const auto total = static_cast<double>(layout_of(operation, static_cast<int>(hosts.size())).total_bytes);
  if (ranks == on_host || ranks == 1) return 0;
  // A host as a whole sends at least this; its ranks share it.
  switch (operation.collective) {
    case Collective::all_gather:
      return total / ranks;
    case Collective::all_reduce:
      return total / on_host;  // what the host adds to every element
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return total * (ranks - on_host) / ranks / on_host;
    case Collective::reduce:
      return hosts[static_cast<std::size_t>(operation.root)] == own_host ? 0 : total / on_host;
    case Collective::broadcast:
      break;
  }
  return rank == operation.root ? total : 0;
}

}  // namespace ringmark
