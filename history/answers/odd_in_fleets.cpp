#include "history/answers/odd_in_fleets.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace ringmark::history {
namespace {

/// The links that end at a host.
std::vector<std::vector<std::string>> links_at(const Fleet& fleet, const std::string& host) {
  std::vector<std::vector<std::string>> links;
  std::copy_if(fleet.links.begin(), fleet.links.end(), std::back_inserter(links),
               [&](const auto& ends) { return std::find(ends.begin(), ends.end(), host) != ends.end(); });
  return links;
}

/// The host at the other end, if both hosts have no other link; otherwise empty.
std::string only_peer(const Fleet& fleet, const std::string& host) {
  const auto links = links_at(fleet, host);
  if (links.size() != 1 || links.front().size() != 2) return "";
  const auto& ends = links.front();
  const auto& peer = ends.front() == host ? ends.back() : ends.front();
  return links_at(fleet, peer).size() == 1 ? peer : "";
}

/// Judges the host against `others`, whose values exclude links to odd hosts: these would make them slightly slower,
/// too.
std::optional<OddHost> judged_alone(const std::string& host, const Fleet& whole, const Fleet& others,
                                    const ChangeOptions& options) {
  auto hosts = others.hosts;
  std::copy_if(whole.hosts.begin(), whole.hosts.end(), std::back_inserter(hosts),
               [&](const HostSeries& each) { return each.host == host; });
  for (auto& odd : odd_hosts(hosts, options)) {
    if (odd.host == host) return std::move(odd);
  }
  return std::nullopt;
}

/// Measures each odd host of a kind by its links to hosts that are not odd. Needs all odd hosts of that kind.
void measure_again(const Fleets& fleets, const std::string& kind, const std::set<std::string>& odd,
                   const ChangeOptions& options, std::vector<OddInFleet>& found) {
  const auto others = fleets.fleet(kind, odd);
  if (!others) return;
  for (auto& each : found) {
    if (each.kind != kind) continue;
    auto without = odd;
    without.erase(each.host.host);
    const auto with_it = fleets.fleet(kind, without);
    if (!with_it || links_at(*with_it, each.host.host).empty()) continue;
    each.host = judged_alone(each.host.host, *with_it, *others, options).value_or(each.host);
  }
}

}  // namespace

std::optional<std::vector<OddInFleet>> odd_in_fleets(const Fleets& fleets, ChangeOptions options) {
  const auto all = fleets.all();
  if (all.empty()) return std::nullopt;
  options.series = all.size();
  std::vector<OddInFleet> found;
  for (const auto& whole : all) {
    std::set<std::string> explained;
    for (std::optional<Fleet> fleet = whole; fleet;) {
      const auto odd = odd_hosts(fleet->hosts, options);
      const auto is_odd = [&](const std::string& host) {
        return std::any_of(odd.begin(), odd.end(), [&](const OddHost& each) { return each.host == host; });
      };
      const auto largest =
          std::find_if(odd.begin(), odd.end(), [&](const OddHost& each) { return !explained.contains(each.host); });
      if (largest == odd.end()) break;
      const auto peer = only_peer(*fleet, largest->host);
      found.push_back({whole.kind, *largest, is_odd(peer) ? peer : ""});
      explained.insert({largest->host, found.back().or_host});
      if (!links_at(*fleet, largest->host).empty()) fleet = fleets.fleet(whole.kind, explained);
    }
    measure_again(fleets, whole.kind, explained, options, found);
  }
  return found;
}

}  // namespace ringmark::history
