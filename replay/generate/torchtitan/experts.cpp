// Layers of experts: tokens travel to the ranks that have their experts, and back.

#include "replay/generate/torchtitan/chunk_passes.hpp"

namespace ringmark::replay::torchtitan {

/// The product of a rank's experts if all experts are chosen equally often.
Product ChunkPasses::expert_product() const {
  const bool is_spread = settings_.sizes.expert > 1;
  const double rows = (is_spread ? tokens() / tp() : tokens()) * model_.experts.of_token;
  const double width = real(model_.experts.feed_forward) / (is_spread ? 1 : tp());
  return {rows, hidden(), width};
}

void ChunkPasses::exchange_tokens() {
  if (!has_input_gradients()) return;
  const auto ranks = number(settings_.sizes.tensor);
  pass_->call({.collective = Collective::all_to_all,
               .elements = settings_.tokens() / ranks * number(model_.experts.of_token) * model_.hidden,
               .type = settings_.type,
               .over = Over::expert,
               .tag = "experts",
               .depends_on_routing = true});
}

/// With expert parallelism, a rank sends its own part of the sequence. Otherwise experts are split over the tensor
/// group like shared experts, and both need the whole sequence.
void ChunkPasses::all_experts() {
  const auto shared = model_.experts.shared_feed_forward;
  const bool is_spread = settings_.sizes.expert == 1;
  if (is_spread) spread();
  experts();
  // Without sequence parallelism, the results of the shared experts are added before the sum.
  if (is_spread && (shared == 0 || settings_.has_sequence())) sum_up();
  if (shared == 0) return;
  if (!is_spread) spread();
  mlp(shared);
}

void ChunkPasses::all_experts_backward() {
  const auto shared = model_.experts.shared_feed_forward;
  const bool is_spread = settings_.sizes.expert == 1;
  if (shared > 0) {
    mlp_backward(shared);
    if (!is_spread) spread_backward();
  }
  if (is_spread) sum_up_backward();
  experts_backward();
  if (settings_.sums_up_scores() && has_input_gradients())
    pass_->call({.elements = settings_.tokens() * number(model_.experts.of_token),
                 .type = settings_.type,
                 .over = Over::tensor,
                 .tag = "scores"});
  if (is_spread) return spread_backward();
  // Without sequence parallelism a rank sent its part of the tokens and of their scores.
  if (settings_.has_sequence()) return;
  for (int each = 0; each < 2; ++each) over_tensor(Collective::all_gather);
}

void ChunkPasses::experts() {
  route(*pass_, settings_.type, model_, local_tokens());
  // The older backends also pass the sizes of the parts of these counts.
  pass_->call({.collective = Collective::all_to_all,
               .elements = number(model_.experts.count),
               .type = DataType::int64,
               .over = Over::expert,
               .tag = "counts",
               .depends_on_routing = settings_.backend != Backend::spmd_types});
  exchange_tokens();
  const auto up = expert_product();
  for (const auto& product : {up, up, Product{up.rows, up.outputs, up.inputs}})
    multiply(*pass_, settings_.type, "expert", product);
  exchange_tokens();
}

void ChunkPasses::experts_backward() {
  if (const auto again = std::exchange(recompute_, nullptr)) again();
  exchange_tokens();
  const auto up = expert_product();
  for (const auto& product : {Product{up.rows, up.outputs, up.inputs}, up, up}) multiply_back("expert", product);
  exchange_tokens();
  if (has_input_gradients()) route(*pass_, settings_.type, model_, local_tokens());
}

}  // namespace ringmark::replay::torchtitan
