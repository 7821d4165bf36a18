// Groups the ranks of a step with roles into kinds that behave alike, so that each kind is simulated once.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// The coarsest partition of the ranks in which those of a kind have the same role and factor, and the same kinds in
/// each of their groups and at the other end of their messages. Without slow ranks the kinds are the roles.
class RoleKinds {
 public:
  /// `slow_down` has factors of computation by rank. With `all_differ` each rank is its own kind.
  RoleKinds(const RoleTrace& trace, const std::map<int, double>& slow_down, bool all_differ);

  std::size_t size() const { return ranks_.size(); }
  /// A rank of the kind.
  int rank(std::size_t kind) const { return ranks_[kind]; }
  std::size_t role(std::size_t kind) const { return role_of(ranks_[kind]); }
  std::size_t kind_of(int rank) const {
    return kinds_.empty() ? role_of(rank) : static_cast<std::size_t>(kinds_[static_cast<std::size_t>(rank)]);
  }
  /// The kinds in the group that contains the kind's rank, ascending.
  std::vector<std::size_t> kinds_in(const RankGroup& group, std::size_t kind) const;

 private:
  std::size_t role_of(int rank) const {
    return static_cast<std::size_t>(rank / trace_.role_stride) % trace_.roles.size();
  }
  void refine();

  const RoleTrace& trace_;
  std::vector<int> kinds_;  ///< by rank; empty if they are the roles
  std::vector<int> ranks_;  ///< by kind
};

}  // namespace ringmark::replay
