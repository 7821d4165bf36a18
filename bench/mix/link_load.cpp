#include "bench/mix/link_load.hpp"

#include <algorithm>

namespace ringmark::mix {

std::optional<std::vector<std::vector<double>>> bytes_on_links(Control& control, const std::vector<CutLink>& links,
                                                               const std::vector<std::string>& hosts,
                                                               const std::vector<MixGroup>& groups,
                                                               const SentBytes& sent_bytes) {
  if (links.empty()) return std::nullopt;
  const auto is_behind = [&](const CutLink& link, int rank) {
    const auto& host = hosts[static_cast<std::size_t>(rank)];
    return std::find(link.hosts.begin(), link.hosts.end(), host) != link.hosts.end();
  };
  constexpr double unknown = -1;
  std::vector<double> mine;  // by group, link and direction
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const auto& link : links) {
      for (const bool goes_up : {true, false}) {
        const auto crosses = [&](int peer) {
          return is_behind(link, groups[group].ranks[static_cast<std::size_t>(peer)]) != goes_up;
        };
        const bool is_on_this_side = is_behind(link, control.rank()) == goes_up;
        const auto sent = is_on_this_side ? sent_bytes(group, crosses) : 0;
        mine.push_back(sent ? static_cast<double>(*sent) : unknown);
      }
    }
  }
  const auto all = control.all_gather(mine);
  if (std::find(all.begin(), all.end(), unknown) != all.end()) return std::nullopt;
  const std::size_t ways = 2 * links.size();
  std::vector<std::vector<double>> bytes(groups.size(), std::vector<double>(ways));
  for (std::size_t i = 0; i < all.size(); ++i) bytes[i % mine.size() / ways][i % ways] += all[i];
  return bytes;
}

}  // namespace ringmark::mix
