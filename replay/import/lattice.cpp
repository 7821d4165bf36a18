#include "replay/import/lattice.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark::replay {

std::optional<RankGroup> lattice_of(const std::vector<int>& members) {
  if (members.empty() || members.front() < 0 || !std::is_sorted(members.begin(), members.end())) return std::nullopt;
  RankGroup group;
  // The innermost dimension is the longest evenly spaced prefix; the next one is found among the blocks' first ranks.
  auto left = members;
  while (left.size() > 1) {
    const int stride = left[1] - left[0];
    std::size_t size = 2;
    while (size < left.size() && left[size] - left[size - 1] == stride) ++size;
    if (stride < 1 || left.size() % size != 0) return std::nullopt;
    group.dimensions.push_back({static_cast<int>(size), stride});
    std::vector<int> firsts;
    for (std::size_t at = 0; at < left.size(); at += size) firsts.push_back(left[at]);
    left = std::move(firsts);
  }
  const auto is_in_it = [&](int rank) { return group.first_member(rank) == members.front(); };
  const bool is_it = std::all_of(members.begin(), members.end(), is_in_it) && group.members(members.front()) == members;
  return is_it ? std::optional(group) : std::nullopt;
}

std::string name_of(const RankGroup& group, int ranks) {
  if (group.size() == ranks) return "all";
  if (group.dimensions.size() == 1) {
    const auto [size, stride] = group.dimensions.front();
    if (stride == 1) return fmt::format("block{}", size);
    return size * stride == ranks ? fmt::format("stride{}", stride) : fmt::format("{} every {}", size, stride);
  }
  std::vector<int> sizes, strides;
  for (const auto& [size, stride] : group.dimensions) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  return fmt::format("{} every {}", fmt::join(sizes, "x"), fmt::join(strides, " and "));
}

}  // namespace ringmark::replay
