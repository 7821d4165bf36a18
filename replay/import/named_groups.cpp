#include "replay/import/named_groups.hpp"

#include <utility>

namespace ringmark::replay {

std::vector<std::vector<int>> in_order_of_names(const std::map<std::string, std::vector<int>>& groups) {
  std::map<std::pair<std::size_t, std::string>, std::vector<int>> in_order;  // 2 before 10
  for (const auto& [name, members] : groups) in_order[{name.size(), name}] = members;
  std::vector<std::vector<int>> all;
  for (auto& [name, members] : in_order) all.push_back(std::move(members));
  return all;
}

int NamedGroups::use(const std::string& name, const CommunicatorSeen& seen) {
  auto& all = imported_.communicators;
  const auto [found, is_new] = used_.emplace(name, static_cast<int>(all.size()));
  if (is_new) {
    const auto declared = declared_.find(name);
    all.push_back(declared == declared_.end() ? CommunicatorSeen{} : declared->second);
  }
  auto& group = all[static_cast<std::size_t>(found->second)];
  if (group.members.empty()) group.members = seen.members;
  if (group.ranks == 0) group.ranks = seen.ranks;
  if (group.rank < 0) group.rank = seen.rank;
  if (group.id.empty()) group.id = seen.id;
  return found->second;
}

}  // namespace ringmark::replay
