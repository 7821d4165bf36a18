#include "replay/trace/role_trace.hpp"

#include <algorithm>

namespace ringmark::replay {

int RankGroup::size() const {
  int product = 1;
  for (const auto& each : dimensions) product *= each.size;
  return product;
}

std::vector<int> RankGroup::members(int rank) const {
  int first = rank;
  for (const auto& [size, stride] : dimensions) first -= rank / stride % size * stride;
  std::vector<int> ranks{first};
  for (const auto& [size, stride] : dimensions) {
    std::vector<int> more;
    for (int place = 0; place < size; ++place) {
      for (const int each : ranks) more.push_back(each + place * stride);
    }
    ranks = std::move(more);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace ringmark::replay
