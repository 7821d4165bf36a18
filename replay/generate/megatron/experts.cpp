// Layers of experts: tokens travel to the ranks that have their experts, and back.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "replay/generate/megatron/layers.hpp"

namespace ringmark::replay::megatron {
/// The number of pairs of a token and one of its experts on a rank, before they are sent. Padded experts count with
/// their capacity.
std::uint64_t ChunkWalk::sent() const {
  const auto& experts = model_.experts;
  const double pairs = local_tokens() * experts.of_token;
  if (!settings_.pads_experts) return static_cast<std::uint64_t>(pairs);
  return static_cast<std::uint64_t>(std::ceil(pairs / experts.count * settings_.capacity)) *
         static_cast<std::uint64_t>(experts.count);
}

/// The number of tokens that a rank's experts work on if all experts are chosen equally often.
double ChunkWalk::routed_tokens() const {
  const double sharers = static_cast<double>(settings_.expert_tensor());
  const double shards = has_sequence() ? 1 : tp();
  return static_cast<double>(sent()) * sharers / shards;
}

void ChunkWalk::experts(const std::string& prefix, bool is_kept) {
  const auto& experts = model_.experts;
  if (experts.shared_feed_forward > 0) mlp(prefix, "shared_", experts.shared_feed_forward);
  need(prefix + "router");
  route();
  if (is_kept) count_choices();
  dispatch();
  const int local = experts.count / settings_.sizes.expert;
  const auto etp = static_cast<double>(settings_.expert_tensor());
  const double rows = std::max(1.0, routed_tokens() / local);
  for (int expert = 0; expert < local; ++expert) {
    need(fmt::format("{}expert.{}", prefix, expert));
    multiply("expert", {rows, static_cast<double>(model_.hidden), fc1_outputs(experts.feed_forward, etp)});
    multiply("expert", {rows, static_cast<double>(experts.feed_forward) / etp, static_cast<double>(model_.hidden)});
  }
  combine();
}

void ChunkWalk::experts_backward(const std::string& prefix) {
  const auto& experts = model_.experts;
  combine_backward();
  const int local = experts.count / settings_.sizes.expert;
  const auto etp = static_cast<double>(settings_.expert_tensor());
  const double rows = std::max(1.0, routed_tokens() / local);
  for (int expert = local; expert-- > 0;) {
    const Product fc2{rows, static_cast<double>(experts.feed_forward) / etp, static_cast<double>(model_.hidden)};
    const Product fc1{rows, static_cast<double>(model_.hidden), fc1_outputs(experts.feed_forward, etp)};
    for (const auto& product : {fc2, fc1}) {
      multiply_back("expert", product, Gradient::of_input);
      multiply_back("expert", product, Gradient::of_weights);
    }
    complete(fmt::format("{}expert.{}", prefix, expert));
  }
  dispatch_backward();
  route();
  complete(prefix + "router");
  if (experts.shared_feed_forward == 0) return;
  if (recomputes(settings_.recomputes_shared_experts))
    recompute([&] { mlp(prefix, "shared_", experts.shared_feed_forward); });
  mlp_backward(prefix, "shared_", experts.shared_feed_forward);
}

void ChunkWalk::count_choices() {
  if (settings_.balancing == Balancing::none) return;
  const auto sequences = settings_.balancing == Balancing::of_sequences ? settings_.micro_batch : 1;
  pass_->call({.elements = sequences * static_cast<std::uint64_t>(model_.experts.count),
               .type = DataType::int64,
               .over = settings_.balancing == Balancing::global ? Over::tensor_and_data : Over::tensor_and_context,
               .tag = "balance"});
}

void ChunkWalk::exchange(std::uint64_t elements, DataType type) {
  pass_->call({.collective = Collective::all_to_all,
               .elements = elements,
               .type = type,
               .over = Over::expert,
               .tag = "experts",
               .depends_on_routing = !settings_.pads_experts});
}

/// A call for the pairs of all ranks of an expert tensor group.
void ChunkWalk::over_expert_tensor(Collective collective, std::uint64_t elements, DataType type) {
  pass_->call({.collective = collective,
               .elements = elements * static_cast<std::uint64_t>(settings_.expert_tensor()),
               .type = type,
               .over = Over::expert_tensor,
               .tag = "experts",
               .depends_on_routing = !settings_.pads_experts});
}

void ChunkWalk::dispatch() {
  if (!has_dispatch()) return;
  const auto ranks = static_cast<std::uint64_t>(grid_.size(Over::expert_tensor_and_expert));
  const auto count = static_cast<std::uint64_t>(model_.experts.count);
  if (settings_.dispatcher == Dispatcher::all_gather) {
    const auto tokens = static_cast<std::uint64_t>(local_tokens()) * ranks;
    const auto gather = [&](std::uint64_t elements, DataType type, bool is_boolean) {
      pass_->call({.collective = Collective::all_gather,
                   .elements = elements,
                   .type = type,
                   .over = Over::expert_tensor_and_expert,
                   .tag = "experts",
                   .is_boolean = is_boolean});
    };
    gather(tokens * count, DataType::uint8, true);
    gather(tokens * count, settings_.probability_type(), false);
    gather(tokens * model_.hidden, settings_.type, false);
    return;
  }
  if (!settings_.pads_experts)
    pass_->call({.collective = Collective::all_gather,
                 .elements = count * ranks,
                 .type = DataType::int64,
                 .over = Over::expert_tensor_and_expert,
                 .tag = "counts"});
  exchange(sent() * model_.hidden, settings_.type);
  exchange(sent(), settings_.probability_type());
  over_expert_tensor(Collective::all_gather, sent() * model_.hidden, settings_.type);
  over_expert_tensor(Collective::all_gather, sent(), settings_.probability_type());
}

void ChunkWalk::combine() {
  if (!has_dispatch()) return;
  if (settings_.dispatcher == Dispatcher::all_gather) {
    const auto ranks = static_cast<std::uint64_t>(grid_.size(Over::expert_tensor_and_expert));
    pass_->call({.collective = Collective::reduce_scatter,
                 .elements = static_cast<std::uint64_t>(local_tokens()) * ranks * model_.hidden,
                 .type = settings_.probability_type(),
                 .over = Over::expert_tensor_and_expert,
                 .tag = "experts"});
    return;
  }
  over_expert_tensor(Collective::reduce_scatter, sent() * model_.hidden, settings_.probability_type());
  exchange(sent() * model_.hidden, settings_.type);
}

void ChunkWalk::combine_backward() {
  if (!has_dispatch()) return;
  if (settings_.dispatcher == Dispatcher::all_gather) {
    const auto ranks = static_cast<std::uint64_t>(grid_.size(Over::expert_tensor_and_expert));
    pass_->call({.collective = Collective::all_gather,
                 .elements = static_cast<std::uint64_t>(local_tokens()) * ranks * model_.hidden,
                 .type = settings_.probability_type(),
                 .over = Over::expert_tensor_and_expert,
                 .tag = "experts"});
    return;
  }
  exchange(sent() * model_.hidden, settings_.type);
  over_expert_tensor(Collective::all_gather, sent() * model_.hidden, settings_.probability_type());
}

void ChunkWalk::dispatch_backward() {
  if (!has_dispatch()) return;
  const auto count = static_cast<std::uint64_t>(model_.experts.count);
  if (settings_.dispatcher == Dispatcher::all_gather) {
    const auto ranks = static_cast<std::uint64_t>(grid_.size(Over::expert_tensor_and_expert));
    const auto tokens = static_cast<std::uint64_t>(local_tokens()) * ranks;
    const auto sum = [&](std::uint64_t elements, DataType type) {
      pass_->call({.collective = Collective::reduce_scatter,
                   .elements = elements,
                   .type = type,
                   .over = Over::expert_tensor_and_expert,
                   .tag = "experts"});
    };
    sum(tokens * model_.hidden, settings_.type);
    sum(tokens * count, settings_.probability_type());
    return;
  }
  over_expert_tensor(Collective::reduce_scatter, sent(), settings_.probability_type());
  over_expert_tensor(Collective::reduce_scatter, sent() * model_.hidden, settings_.type);
  exchange(sent(), settings_.probability_type());
  exchange(sent() * model_.hidden, settings_.type);
}

}  // namespace ringmark::replay::megatron
