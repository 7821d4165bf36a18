#include "replay/predict/role_kinds.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "replay/predict/numbered.hpp"

namespace ringmark::replay {
namespace {

std::set<int> called_groups(const RoleTrace& trace) {
  std::set<int> groups;
  for (const auto& pass : trace.passes) {
    for (const auto& event : pass.events) {
      if (event.kind == EventKind::collective) groups.insert(event.group);
    }
  }
  return groups;
}

std::set<int> peers_of(const RoleTrace& trace, const Role& role) {
  std::set<int> passes, peers;
  for (const auto& play : role.plays) passes.insert(play.pass);
  for (const int pass : passes) {
    for (const auto& event : trace.passes[static_cast<std::size_t>(pass)].events) {
      if (is_message(event)) peers.insert(event.peer);
    }
  }
  return peers;
}

/// By rank: a number for the kinds in the rank's group.
std::vector<int> compositions(const RankGroup& group, const std::vector<int>& kinds) {
  std::vector<std::vector<int>> of_first(kinds.size());
  const auto first_of = [&](std::size_t rank) {
    return static_cast<std::size_t>(group.first_member(static_cast<int>(rank)));
  };
  for (std::size_t rank = 0; rank < kinds.size(); ++rank) of_first[first_of(rank)].push_back(kinds[rank]);
  for (auto& members : of_first) std::sort(members.begin(), members.end());
  const auto numbers = numbered(of_first);
  std::vector<int> result(kinds.size());
  for (std::size_t rank = 0; rank < kinds.size(); ++rank) result[rank] = numbers[first_of(rank)];
  return result;
}

}  // namespace

RoleKinds::RoleKinds(const RoleTrace& trace, const std::map<int, double>& slow_down, bool all_differ) : trace_(trace) {
  if (slow_down.empty() && !all_differ) {
    for (std::size_t role = 0; role < trace.roles.size(); ++role)
      ranks_.push_back(static_cast<int>(role) * trace.role_stride);
    return;
  }
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  if (all_differ) {
    kinds_.resize(ranks);
    std::iota(kinds_.begin(), kinds_.end(), 0);
    ranks_ = kinds_;
    return;
  }
  std::vector<std::pair<std::size_t, double>> keys;
  for (int rank = 0; rank < trace.ranks; ++rank) {
    const auto found = slow_down.find(rank);
    keys.emplace_back(role_of(rank), found == slow_down.end() ? 1 : found->second);
  }
  kinds_ = numbered(keys);
  refine();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (kinds_[rank] == static_cast<int>(ranks_.size())) ranks_.push_back(static_cast<int>(rank));
  }
}

void RoleKinds::refine() {
  const auto groups = called_groups(trace_);
  std::vector<std::set<int>> peers;
  for (const auto& role : trace_.roles) peers.push_back(peers_of(trace_, role));
  for (;;) {
    std::vector<std::vector<int>> keys(kinds_.size());
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
      keys[rank].push_back(kinds_[rank]);
      for (const int peer : peers[role_of(static_cast<int>(rank))])
        keys[rank].push_back(kinds_[static_cast<std::size_t>(static_cast<int>(rank) + peer) % kinds_.size()]);
    }
    for (const int group : groups) {
      const auto numbers = compositions(trace_.groups[static_cast<std::size_t>(group)], kinds_);
      for (std::size_t rank = 0; rank < keys.size(); ++rank) keys[rank].push_back(numbers[rank]);
    }
    auto finer = numbered(keys);
    if (finer == kinds_) return;
    kinds_ = std::move(finer);
  }
}

std::vector<std::size_t> RoleKinds::kinds_in(const RankGroup& group, std::size_t kind) const {
  std::vector<std::size_t> kinds;
  for (const int member : group.members(ranks_[kind])) kinds.push_back(kind_of(member));
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

}  // namespace ringmark::replay
