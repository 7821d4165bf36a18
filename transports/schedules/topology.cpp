#include "transports/schedules/topology.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace ringmark {

Topology Topology::flat(int ranks) {
  std::vector<int> own_node(static_cast<std::size_t>(ranks));
  std::iota(own_node.begin(), own_node.end(), 0);
  return nodes(own_node);
}

Topology Topology::nodes(const std::vector<int>& node_of_rank) {
  Topology topology;
  std::map<int, int> number_of;
  for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    const auto [entry, is_new] =
        number_of.try_emplace(node_of_rank[static_cast<std::size_t>(rank)], topology.node_count());
    if (is_new) topology.members_.emplace_back();
    auto& members = topology.members_[static_cast<std::size_t>(entry->second)];
    topology.node_of_rank_.push_back(entry->second);
    topology.local_rank_.push_back(static_cast<int>(members.size()));
    members.push_back(rank);
  }
  return topology;
}

int Topology::smallest_node() const {
  const auto smaller = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  return static_cast<int>(std::min_element(members_.begin(), members_.end(), smaller)->size());
}

}  // namespace ringmark
