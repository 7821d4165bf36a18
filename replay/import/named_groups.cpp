#include "replay/import/named_groups.hpp"

namespace ringmark::replay {

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
