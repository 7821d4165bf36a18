// The nodes of a communicator's ranks: one rank per node, or several.
#pragma once

#include <vector>

namespace ringmark {

class Topology {
 public:
  /// One rank per node.
  static Topology flat(int ranks);
  /// node_of_rank[r] identifies rank r's node by any integer; nodes are renumbered in order of their first ranks.
  static Topology nodes(const std::vector<int>& node_of_rank);

  int ranks() const { return static_cast<int>(node_of_rank_.size()); }
  int node_count() const { return static_cast<int>(members_.size()); }
  int node_of(int rank) const { return node_of_rank_[static_cast<std::size_t>(rank)]; }
  /// The ranks on a node, ascending.
  const std::vector<int>& members(int node) const { return members_[static_cast<std::size_t>(node)]; }
  /// Position of a rank among the members of its node.
  int local_rank(int rank) const { return local_rank_[static_cast<std::size_t>(rank)]; }
  int smallest_node() const;

 private:
  std::vector<int> node_of_rank_;
  std::vector<int> local_rank_;
  std::vector<std::vector<int>> members_;
};

}  // namespace ringmark
