#include "replay/generate/grid.hpp"

#include <array>
#include <string_view>

namespace ringmark::replay {
namespace {

constexpr std::array<std::string_view, 20> names{
    "world", "tp",    "batch", "dp", "dp-shards", "dp-copies", "instance", "pp",        "tp-pp",      "embedding",
    "cp",    "tp-cp", "tp-dp", "ep", "etp",       "etp-ep",    "edp",      "etp-ep-pp", "edp-shards", "edp-copies"};

/// The dimensions without those of one rank, and with adjacent ones joined.
std::vector<RankGroup::Dimension> joined(const std::vector<RankGroup::Dimension>& dimensions) {
  std::vector<RankGroup::Dimension> all;
  for (const auto& each : dimensions) {
    if (each.size == 1) continue;
    if (!all.empty() && all.back().size * all.back().stride == each.stride) {
      all.back().size *= each.size;
    } else {
      all.push_back(each);
    }
  }
  return all;
}

}  // namespace

Grid::Grid(const Groups& groups, int stage_stride) : stage_stride_(stage_stride) {
  for (const auto name : names) groups_.push_back({std::string(name), {}});
  for (const auto& [over, dimensions] : groups) groups_[index(over)].dimensions = joined(dimensions);
}

}  // namespace ringmark::replay
