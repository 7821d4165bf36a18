#include "replay/generate/megatron/grid.hpp"

#include <algorithm>

namespace ringmark::replay::megatron {
namespace {

using Dimensions = std::vector<RankGroup::Dimension>;

/// Without dimensions of one rank, and with one for two that are adjacent.
RankGroup group(std::string name, const Dimensions& dimensions) {
  RankGroup result{std::move(name), {}};
  for (const auto& each : dimensions) {
    if (each.size == 1) continue;
    auto& all = result.dimensions;
    if (!all.empty() && all.back().size * all.back().stride == each.stride) {
      all.back().size *= each.size;
    } else {
      all.push_back(each);
    }
  }
  return result;
}

}  // namespace

Grid::Grid(const Settings& settings) {
  const auto& sizes = settings.sizes;
  const int data = settings.data_parallel(), etp = settings.expert_tensor();
  const int model_ranks = sizes.tensor * sizes.context;
  const bool has_data_last = settings.has_data_last;
  stage_stride_ = has_data_last ? model_ranks : model_ranks * data;
  const int data_stride = has_data_last ? model_ranks * sizes.pipeline : model_ranks;
  const int shared = data / settings.optimizer_instances;
  const int expert_ranks = etp * sizes.expert;
  const RankGroup::Dimension tp{sizes.tensor, 1}, cp{sizes.context, sizes.tensor}, dp{data, data_stride},
      pp{sizes.pipeline, stage_stride_}, shards{shared, data_stride},
      copies{settings.optimizer_instances, data_stride * shared};
  const int expert_data = settings.expert_data_parallel(), expert_shared = expert_data / settings.optimizer_instances;
  const int expert_stride = has_data_last ? expert_ranks * sizes.pipeline : expert_ranks;
  const RankGroup::Dimension expert{sizes.expert, etp}, expert_tp{etp, 1}, expert_dp{expert_data, expert_stride},
      expert_shards{expert_shared, expert_stride},
      expert_copies{settings.optimizer_instances, expert_stride * expert_shared};
  const RankGroup::Dimension ends{std::min(2, sizes.pipeline), stage_stride_ * std::max(1, sizes.pipeline - 1)};
  const auto by_stride = [](Dimensions all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.stride < b.stride; });
    return all;
  };
  groups_ = {group("world", {{settings.ranks, 1}}),
             group("tp", {tp}),
             group("dp", {cp, dp}),
             group("dp-shards", {cp, shards}),
             group("dp-copies", {copies}),
             group("instance", by_stride({tp, cp, shards, pp})),
             group("pp", {pp}),
             group("tp-pp", {tp, pp}),
             group("embedding", {ends}),
             group("cp", {cp}),
             group("tp-cp", {tp, cp}),
             group("tp-dp", {tp, cp, dp}),
             group("ep", {expert}),
             group("etp", {expert_tp}),
             group("etp-ep", {expert_tp, expert}),
             group("edp", {expert_dp}),
             group("etp-ep-pp", {expert_tp, expert, pp}),
             group("edp-shards", {expert_shards}),
             group("edp-copies", {expert_copies})};
}

}  // namespace ringmark::replay::megatron
