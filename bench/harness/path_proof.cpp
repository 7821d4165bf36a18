#include "bench/harness/path_proof.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "transports/exchange.hpp"
#include "transports/schedules/chunk.hpp"

namespace ringmark {
namespace {

void add(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
  if (before && after) sum = sum.value_or(0) + (*after - *before);
}

std::string describe_events(const std::vector<PathEvidence>& by_rank, const std::vector<std::string>& names,
                            const Places& places) {
  if (names.empty()) return "";
  // Ranks that share a port read the same counters, at different times.
  std::map<std::string, std::vector<double>> ports;
  for (std::size_t rank = 0; rank < places.hosts.size(); ++rank) {
    auto& counts = ports[fmt::format("{} on {}", places.ways_out[rank], places.hosts[rank])];
    counts.resize(names.size());
    const auto& seen = by_rank[rank].events;
    for (std::size_t i = 0; i < std::min(names.size(), seen.size()); ++i)
      counts[i] = std::max(counts[i], static_cast<double>(seen[i]));
  }
  std::vector<std::pair<double, std::string>> found;
  for (const auto& [port, counts] : ports) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (counts[i] > 0) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", names[i], counts[i]);
    }
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (sum > 0) found.emplace_back(-sum, fmt::format("{}: {}", port, text));
  }
  constexpr std::size_t most = 4;
  std::sort(found.begin(), found.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i) text += (i > 0 ? "; " : "") + found[i].second;
  if (found.size() > most) text += fmt::format("; fewer on {} other ports", found.size() - most);
  return text;
}

double bytes_to_other_hosts(const Operation& send_recv, const std::vector<std::string>& hosts, int rank) {
  const int parts = parts_of(send_recv.pattern);
  std::size_t elements = 0;
  for (int part = 0; part < parts; ++part) {
    const int to = destination_of(send_recv.pattern, part, rank, static_cast<int>(hosts.size()));
    if (hosts[static_cast<std::size_t>(to)] != hosts[static_cast<std::size_t>(rank)])
      elements += chunk_of(send_recv.count, parts, part).length;
  }
  return static_cast<double>(elements * size_bytes(send_recv.type));
}

/// For unequal blocks. On a single host, all other ranks count as other hosts.
double unequal_bytes_to_other_hosts(const Operation& operation, const std::vector<std::string>& hosts, int rank) {
  const auto& counts = *operation.counts;
  const auto own = static_cast<std::size_t>(rank);
  const bool one_host = on_one_host(hosts);
  std::size_t elements = 0, ranks_here = 0;
  for (std::size_t peer = 0; peer < hosts.size(); ++peer) {
    const bool is_here = one_host ? peer == own : hosts[peer] == hosts[own];
    ranks_here += is_here ? 1 : 0;
    const int to = static_cast<int>(peer);
    if (!is_here) elements += counts.is_of_pairs() ? counts.sent(rank, to).length : counts.block(to).length;
  }
  const auto element = static_cast<double>(size_bytes(operation.type));
  if (operation.collective == Collective::all_gather) return static_cast<double>(counts.block(rank).length) * element;
  // The ranks of a host share the work of sending what it reduces for others.
  const auto sharers = counts.is_of_pairs() ? std::size_t{1} : ranks_here;
  return static_cast<double>(elements) * element / static_cast<double>(sharers);
}

}  // namespace

bool on_one_host(const std::vector<std::string>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(), [&](const auto& host) { return host == hosts.front(); });
}

int count_hosts(const std::vector<std::string>& hosts, std::span<const int> ranks) {
  std::set<std::string> different;
  for (const int rank : ranks) different.insert(hosts[static_cast<std::size_t>(rank)]);
  return static_cast<int>(different.size());
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

PathEvidence evidence_of(const PathCounters& counters, double needed_bytes) {
  return {needed_bytes, counters.sent_bytes(), counters.retransmits(), counters.events(),
          counters.way_out().bits_per_s};
}

double least_us(const PathEvidence& evidence, double needed_bytes) {
  constexpr double bits = 8, us_per_s = 1e6;
  return evidence.bits_per_s ? needed_bytes * bits / *evidence.bits_per_s * us_per_s : 0;
}

void to_json(nlohmann::json& json, const PathEvidence& evidence) {
  json = {{"needed_bytes", evidence.needed_bytes}, {"events", evidence.events}};
  if (evidence.sent_bytes) json["sent_bytes"] = *evidence.sent_bytes;
  if (evidence.retransmits) json["retransmits"] = *evidence.retransmits;
  if (evidence.bits_per_s) json["bits_per_s"] = *evidence.bits_per_s;
}

void from_json(const nlohmann::json& json, PathEvidence& evidence) {
  json.at("needed_bytes").get_to(evidence.needed_bytes);
  json.at("events").get_to(evidence.events);
  if (json.contains("sent_bytes")) evidence.sent_bytes = json["sent_bytes"].get<std::uint64_t>();
  if (json.contains("retransmits")) evidence.retransmits = json["retransmits"].get<std::uint64_t>();
  if (json.contains("bits_per_s")) evidence.bits_per_s = json["bits_per_s"].get<double>();
}

PathFinding find_path(Control& control, const PathCounters& counters, const Places& places, double needed_bytes,
                      std::uint64_t operations, int slowest_rank) {
  return find_path(exchange(control, "counters", evidence_of(counters, needed_bytes)), counters.way_out(), places,
                   operations, slowest_rank);
}

PathFinding find_path(const std::vector<PathEvidence>& by_rank, const WayOut& way_out, const Places& places,
                      std::uint64_t operations, int slowest_rank) {
  const auto& hosts = places.hosts;
  struct Count {
    double needed = 0, least_us = 0;
    std::optional<std::uint64_t> sent, retransmits;
    int ranks = 0;
    bool is_unknown = false;
  };
  std::map<std::pair<std::string, std::string>, Count> by_way_out;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    auto& count = by_way_out[{hosts[rank], places.ways_out[rank]}];
    ++count.ranks;
    count.needed += by_rank[rank].needed_bytes * static_cast<double>(operations);
    count.least_us += least_us(by_rank[rank], by_rank[rank].needed_bytes);
    count.sent = std::max(count.sent,
                          by_rank[rank].sent_bytes);  // ranks that share it read the same counter, at different times
    count.retransmits = std::max(count.retransmits, by_rank[rank].retransmits);
    if (!by_rank[rank].sent_bytes && by_rank[rank].needed_bytes > 0) count.is_unknown = true;
  }

  PathFinding finding;
  const auto seen = by_rank[static_cast<std::size_t>(slowest_rank)].sent_bytes;
  if (seen)
    finding.wire_bytes = static_cast<std::uint64_t>(static_cast<double>(*seen) / static_cast<double>(operations));
  const bool may_stay_inside = on_one_host(hosts);
  const auto inside = way_out.network == Network::tcp ? std::optional<Network>(Network::shm) : std::nullopt;
  bool all_crossed = true;
  for (const auto& [place, count] : by_way_out) {
    finding.least_us = std::max(finding.least_us, count.least_us);
    if (count.retransmits) finding.retransmits = finding.retransmits.value_or(0) + *count.retransmits;
    // Barriers cross the interface too, so a count that is not well above theirs proves nothing.
    constexpr double barrier_bytes_per_step = 1024;
    const double barriers = barrier_bytes_per_step * static_cast<double>(std::bit_width(hosts.size())) * count.ranks;
    if (count.is_unknown || count.needed < 4 * barriers * static_cast<double>(operations)) continue;
    finding.judged = true;
    constexpr double counting_error = 0.99;
    const auto sent = static_cast<double>(count.sent.value_or(0));
    const bool crossed = sent >= counting_error * count.needed;
    all_crossed = all_crossed && crossed;
    finding.network = all_crossed ? way_out.network : inside;
    if (crossed || may_stay_inside) continue;
    finding.bypassed = true;
    finding.detail = fmt::format("only {:.0f} of at least {:.0f} bytes left {} through {}", sent, count.needed,
                                 place.first, place.second);
  }
  finding.events = describe_events(by_rank, way_out.event_names, places);
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
  const auto total = static_cast<double>(total_bytes(operation, static_cast<int>(hosts.size())));
  const bool on_roots_host = hosts[static_cast<std::size_t>(operation.root)] == own_host;
  if (ranks == on_host || ranks == 1) return 0;
  if (operation.counts) return unequal_bytes_to_other_hosts(operation, hosts, rank);
  // A host as a whole sends at least this, shared by its ranks.
  switch (operation.collective) {
    case Collective::all_gather:
      return total / ranks;
    case Collective::gather:
      return on_roots_host ? 0 : total / ranks;
    case Collective::scatter:
      break;
    case Collective::send_recv:
      return bytes_to_other_hosts(operation, hosts, rank);
    case Collective::all_reduce:
      return total / on_host;  // the host's share of every element
    case Collective::reduce_scatter:
      return total * (ranks - on_host) / ranks / on_host;
    case Collective::all_to_all:
      return total * (ranks - on_host) / ranks;
    case Collective::reduce:
      return on_roots_host ? 0 : total / on_host;
    case Collective::broadcast:
      return rank == operation.root ? total : 0;
  }
  return rank == operation.root ? total * (ranks - on_host) / ranks : 0;
}

}  // namespace ringmark
