#include "replay/generate/torchtitan/grid.hpp"

namespace ringmark::replay::torchtitan {

Grid make_grid(const Settings& settings) {
  const auto& sizes = settings.sizes;
  const int samples_stride = sizes.tensor * sizes.context;
  const int copy = samples_stride * sizes.shards;
  const int stage = copy * sizes.replicas;
  const RankGroup::Dimension tp{sizes.tensor, 1}, cp{sizes.context, sizes.tensor}, shards{sizes.shards, samples_stride},
      replicas{sizes.replicas, copy}, pp{sizes.pipeline, stage}, experts{sizes.expert, 1},
      expert_shards{settings.weight_shards(true), sizes.expert};
  Grid::Groups groups{{Over::world, {{settings.ranks, 1}}},
                      {Over::tensor, {tp}},
                      {Over::batch, {shards, replicas}},
                      {Over::data, {cp, shards, replicas}},
                      {Over::shards, {cp, shards}},
                      {Over::instances, {replicas}},
                      {Over::pipeline, {pp}},
                      {Over::context, {cp}},
                      {Over::expert, {experts}}};
  if (sizes.expert > 1) {
    groups.push_back({Over::expert_shards, {expert_shards}});
    groups.push_back({Over::expert_instances, {replicas}});
  }
  return {groups, stage};
}

}  // namespace ringmark::replay::torchtitan
