// Attention whose keys and values are spread over context-parallel ranks, as Transformer Engine exchanges them.

#include "replay/generate/megatron/layers.hpp"

namespace ringmark::replay::megatron {

void ChunkWalk::attend() {
  const auto ranks = static_cast<std::uint64_t>(settings_.sizes.context);
  if (ranks == 1) return core_attention(1);
  const bool is_backward = pass_->phase == Phase::backward;
  const auto tp = static_cast<std::uint64_t>(settings_.sizes.tensor);
  const auto keys = settings_.tokens() * model_.key_width() / tp;
  const auto queries = settings_.tokens() * model_.query_width() / tp;
  const auto values = settings_.tokens() * model_.value_width() / tp;
  const auto results = settings_.tokens() * model_.result_width() / tp;
  switch (settings_.context_exchange) {
    case ContextExchange::ring:
      return attend_in_ring();
    case ContextExchange::all_gather:
      for (const auto elements : {keys, values}) exchange_context(Collective::all_gather, elements * ranks);
      core_attention(1);
      for (const auto elements : {keys, values}) {
        if (is_backward) exchange_context(Collective::reduce_scatter, elements * ranks);
      }
      return;
    case ContextExchange::all_to_all:
      if (is_backward) {
        exchange_context(Collective::all_to_all, results);
        core_attention(1);
        for (const auto elements : {queries, keys, values}) exchange_context(Collective::all_to_all, elements);
      } else {
        for (const auto elements : {queries, keys, values}) exchange_context(Collective::all_to_all, elements);
        core_attention(1);
        exchange_context(Collective::all_to_all, results);
      }
      return;
  }
}

void ChunkWalk::exchange_context(Collective collective, std::uint64_t elements) {
  pass_->call({.collective = collective,
               .elements = elements,
               .type = settings_.type,
               .over = Over::context,
               .tag = "context"});
}

/// Each rank works on the keys and values that it has while it receives the next ones. In the backward pass, their
/// gradients travel with them from the second step on; in the last step the gradients travel alone, back to their
/// ranks.
void ChunkWalk::attend_in_ring() {
  const int ranks = settings_.sizes.context;
  const bool is_backward = pass_->phase == Phase::backward;
  const auto both = settings_.tokens() * (model_.key_width() + model_.value_width()) /
                    static_cast<std::uint64_t>(settings_.sizes.tensor);
  for (int step = 0; step < ranks; ++step) {
    std::optional<int> message;
    const bool has_gradients = is_backward && step > 0 && step + 1 < ranks;
    if (is_backward || step + 1 < ranks)
      message = pass_->call({.collective = Collective::send_recv,
                             .elements = has_gradients ? 2 * both : both,
                             .type = settings_.type,
                             .over = Over::context,
                             .is_async = true,
                             .tag = "context"});
    core_attention(1.0 / ranks);
    pass_->wait(message);
  }
}

}  // namespace ringmark::replay::megatron
