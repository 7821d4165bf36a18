#include "replay/generate/megatron/grid.hpp"

#include <algorithm>

namespace ringmark::replay::megatron {
Grid make_grid(const Settings& settings) {
  const auto& sizes = settings.sizes;
  const int data = settings.data_parallel(), etp = settings.expert_tensor();
  const int model_ranks = sizes.tensor * sizes.context;
  const bool has_data_last = settings.has_data_last;
  const int stage_stride = has_data_last ? model_ranks : model_ranks * data;
  const int data_stride = has_data_last ? model_ranks * sizes.pipeline : model_ranks;
  const int shared = data / settings.optimizer_instances;
  const int expert_ranks = etp * sizes.expert;
  const RankGroup::Dimension tp{sizes.tensor, 1}, cp{sizes.context, sizes.tensor}, dp{data, data_stride},
      pp{sizes.pipeline, stage_stride}, shards{shared, data_stride},
      copies{settings.optimizer_instances, data_stride * shared};
  const int expert_data = settings.expert_data_parallel(), expert_shared = expert_data / settings.optimizer_instances;
  const int expert_stride = has_data_last ? expert_ranks * sizes.pipeline : expert_ranks;
  const RankGroup::Dimension expert{sizes.expert, etp}, expert_tp{etp, 1}, expert_dp{expert_data, expert_stride},
      expert_shards{expert_shared, expert_stride},
      expert_copies{settings.optimizer_instances, expert_stride * expert_shared};
  const RankGroup::Dimension ends{std::min(2, sizes.pipeline), stage_stride * std::max(1, sizes.pipeline - 1)};
  const auto by_stride = [](std::vector<RankGroup::Dimension> all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.stride < b.stride; });
    return all;
  };
  const Grid::Groups groups{{Over::world, {{settings.ranks, 1}}},
                            {Over::tensor, {tp}},
                            {Over::data, {cp, dp}},
                            {Over::shards, {cp, shards}},
                            {Over::instances, {copies}},
                            {Over::whole_instance, by_stride({tp, cp, shards, pp})},
                            {Over::pipeline, {pp}},
                            {Over::model, {tp, pp}},
                            {Over::embedding, {ends}},
                            {Over::context, {cp}},
                            {Over::tensor_and_context, {tp, cp}},
                            {Over::tensor_and_data, {tp, cp, dp}},
                            {Over::expert, {expert}},
                            {Over::expert_tensor, {expert_tp}},
                            {Over::expert_tensor_and_expert, {expert_tp, expert}},
                            {Over::expert_data, {expert_dp}},
                            {Over::expert_model, {expert_tp, expert, pp}},
                            {Over::expert_shards, {expert_shards}},
                            {Over::expert_instances, {expert_copies}}};
  return {groups, stage_stride};
}

}  // namespace ringmark::replay::megatron
