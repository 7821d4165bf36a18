#include "history/answers/odd_in_fleets.hpp"

#include <algorithm>
#include <set>

namespace ringmark::history {
namespace {

/// The host at the other end of the only link of both; empty if either has more.
std::string only_peer(const Fleet& fleet, const std::string& host) {
  std::string peer;
  for (const auto& ends : fleet.links) {
    if (std::find(ends.begin(), ends.end(), host) == ends.end() || ends.size() != 2) continue;
    if (!peer.empty()) return "";
    peer = ends.front() == host ? ends.back() : ends.front();
  }
  const auto links_of_peer = std::count_if(fleet.links.begin(), fleet.links.end(), [&](const auto& ends) {
    return std::find(ends.begin(), ends.end(), peer) != ends.end();
  });
  return links_of_peer == 1 ? peer : "";
}

bool has_links(const Fleet& fleet, const std::string& host) {
  return std::any_of(fleet.links.begin(), fleet.links.end(),
                     [&](const auto& ends) { return std::find(ends.begin(), ends.end(), host) != ends.end(); });
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
      if (has_links(*fleet, largest->host)) fleet = fleets.fleet(whole.kind, explained);
    }
  }
  return found;
}

}  // namespace ringmark::history
