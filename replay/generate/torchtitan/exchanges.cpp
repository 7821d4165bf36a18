// The calls within a layer among tensor-parallel and context-parallel ranks.

#include "replay/generate/torchtitan/chunk_passes.hpp"

namespace ringmark::replay::torchtitan {

void ChunkPasses::over_tensor(Collective collective) {
  if (!has_input_gradients()) return;
  pass_->call({.collective = collective,
               .elements = settings_.tokens() * model_.hidden,
               .type = settings_.type,
               .over = Over::tensor});
}

void ChunkPasses::spread() {
  if (settings_.has_sequence()) over_tensor(Collective::all_gather);
}

void ChunkPasses::sum_up() {
  over_tensor(settings_.has_sequence() ? Collective::reduce_scatter : Collective::all_reduce);
}

void ChunkPasses::spread_backward() { sum_up(); }

void ChunkPasses::sum_up_backward() {
  spread();
  if (const auto again = std::exchange(recompute_, nullptr)) again();
}

/// Gathers keys and values, and in the backward pass sums their gradients.
void ChunkPasses::attend() {
  const bool is_backward = pass_->phase == Phase::backward;
  if (is_backward && !has_input_gradients()) return;
  if (!is_backward) exchange_context(Collective::all_gather);
  replay::attend(*pass_, model_, tokens(), real(settings_.sequence), tp());
  if (is_backward) exchange_context(Collective::reduce_scatter);
}

void ChunkPasses::exchange_context(Collective collective) {
  const auto shards = number(settings_.sizes.tensor);
  for (const auto width : {model_.key_width(), model_.value_width()})
    pass_->call({.collective = collective,
                 .elements = settings_.samples() * settings_.sequence * width / shards,
                 .type = settings_.type,
                 .over = Over::context,
                 .tag = "context"});
}

}  // namespace ringmark::replay::torchtitan
