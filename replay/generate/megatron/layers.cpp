#include "replay/generate/megatron/layers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ringmark::replay::megatron {

void reduce(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
            std::optional<int> batch) {
  const auto op = settings.averages_in_collective ? ReduceOp::avg : ReduceOp::sum;
  if (!settings.shards_optimizer) {
    pass.call({.elements = bucket.elements,
               .type = settings.gradient_type,
               .over = buffer.is_of_experts ? Over::expert_data : Over::data,
               .op = op,
               .is_async = true,
               .tag = "bucket",
               .batch = batch});
    return;
  }
  pass.call({.collective = Collective::reduce_scatter,
             .elements = bucket.elements,
             .type = settings.gradient_type,
             .over = buffer.is_of_experts ? Over::expert_shards : Over::shards,
             .op = op,
             .is_async = true,
             .tag = "bucket",
             .batch = batch});
  if (settings.optimizer_instances == 1) return;
  const int replicas =
      buffer.is_of_experts ? settings.expert_data_parallel() : settings.data_parallel() * settings.sizes.context;
  const auto ranks = static_cast<std::uint64_t>(replicas / settings.optimizer_instances);
  pass.call({.elements = bucket.elements / ranks,
             .type = settings.gradient_type,
             .over = buffer.is_of_experts ? Over::expert_instances : Over::instances,
             .op = op,
             .is_async = true,
             .tag = "shard"});
}

std::optional<int> gather(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
                          std::optional<int> batch) {
  return pass.call({.collective = Collective::all_gather,
                    .elements = bucket.elements,
                    .type = settings.type,
                    .over = buffer.is_of_experts ? Over::expert_shards : Over::shards,
                    .is_async = true,
                    .tag = "weights",
                    .batch = batch});
}

Pass ChunkWalk::forward(Sharing sharing) {
  Pass pass{"forward", std::nullopt, {}};
  PassBuilder builder(grid_, pass);
  pass_ = &builder;
  sharing_ = sharing;
  gathers_.clear();
  is_issued_.clear();
  for (const auto& buffer : buffers_.all) {
    gathers_.emplace_back(buffer.buckets.size());
    is_issued_.emplace_back(buffer.buckets.size(), false);
  }
  is_waited_for_ = is_issued_;
  if (chunk_.place.has_embedding) embed();
  for (std::uint64_t index = 0; index < chunk_.place.layers; ++index) layer(index);
  if (chunk_.place.has_head) head();
  return pass;
}

Pass ChunkWalk::backward(Sharing sharing) {
  Pass pass{"backward", std::nullopt, {}};
  PassBuilder builder(grid_, pass);
  builder.phase = Phase::backward;
  pass_ = &builder;
  sharing_ = sharing;
  missing_.clear();
  for (const auto& buffer : buffers_.all) {
    auto& of_buffer = missing_.emplace_back();
    for (const auto& bucket : buffer.buckets) of_buffer.push_back(bucket.tensors);
  }
  if (chunk_.place.has_head) head_backward();
  all_layers_backward();
  if (chunk_.place.has_embedding) embed_backward();
  return pass;
}

void ChunkWalk::all_layers_backward() {
  const auto layers = chunk_.place.layers;
  const bool in_groups = settings_.recompute.kind == Recompute::Kind::full && settings_.recomputes_uniformly;
  const auto group = in_groups ? static_cast<std::uint64_t>(settings_.recompute_group) : 1;
  for (auto end = layers; end > 0;) {
    const auto begin = (end - 1) / group * group;
    if (is_recomputed(begin)) {
      recompute([&] {
        if (settings_.distributes_activations) over_tensor(Collective::all_gather);
        for (auto index = begin; index < end; ++index) layer(index);
      });
    }
    for (auto index = end; index > begin; --index) layer_backward(index - 1);
    end = begin;
  }
}

bool ChunkWalk::is_recomputed(std::uint64_t layer) const {
  const auto& recompute = settings_.recompute;
  if (recompute.kind != Recompute::Kind::full) return false;
  return settings_.recomputes_uniformly || recompute.first_layers == 0 || layer < recompute.first_layers;
}

void ChunkWalk::embed() {
  need("embedding");
  const double hidden = static_cast<double>(model_.hidden);
  pass_->compute(0, bytes * 2 * tokens() * hidden, "embedding");
  if (has_sequence() && model_.positions == 0) {
    over_tensor(Collective::reduce_scatter);
  } else {
    over_tensor(Collective::all_reduce);
  }
  if (model_.positions > 0) need("positions");
}

void ChunkWalk::embed_backward() {
  if (has_sequence()) over_tensor(Collective::all_gather);
  if (model_.positions > 0) complete("positions");
  pass_->compute(0, bytes * 4 * tokens() * static_cast<double>(model_.hidden), "embedding");
  complete("embedding");
}

void ChunkWalk::head() {
  norm("final_norm");
  const bool is_tied_here = model_.is_tied && settings_.sizes.pipeline == 1;
  need(is_tied_here ? "embedding" : "head");
  if (has_sequence()) over_tensor(Collective::all_gather);
  const Product product{tokens(), static_cast<double>(model_.hidden), static_cast<double>(model_.vocabulary) / tp()};
  const double elements = product.inputs * product.outputs;
  pass_->compute(2 * elements * product.rows, bytes * (elements + product.rows * (product.inputs + product.outputs)),
                 "head",
                 {{Operator::Kind::product, product.rows, product.outputs, product.inputs},
                  {Operator::Kind::loss, product.rows, product.outputs}});
  const auto reduce_loss = [&](ReduceOp op, std::uint64_t elements) {
    pass_->call({.elements = elements, .type = DataType::float32, .over = Over::tensor, .op = op, .tag = "loss"});
  };
  const auto rows = settings_.tokens();
  reduce_loss(ReduceOp::max, rows);
  if (settings_.fuses_loss) return reduce_loss(ReduceOp::sum, 2 * rows);
  for (int sum = 0; sum < 2; ++sum) reduce_loss(ReduceOp::sum, rows);
}

void ChunkWalk::head_backward() {
  const Product product{tokens(), static_cast<double>(model_.hidden), static_cast<double>(model_.vocabulary) / tp()};
  columns_backward("head", product, true);
  // A tied matrix gets the rest of its gradient from the embedding.
  if (!(model_.is_tied && settings_.sizes.pipeline == 1)) complete("head");
  norm_backward("final_norm");
}

void ChunkWalk::layer(std::uint64_t index) {
  const auto prefix = layer_prefix(index);
  attention(prefix);
  norm(prefix + "mlp_norm");
  if (model_.has_experts(chunk_.place.first_layer + index)) {
    experts(prefix, keeps_forward(index));
  } else {
    mlp(prefix, "", model_.feed_forward);
  }
}

bool ChunkWalk::keeps_forward(std::uint64_t layer) const {
  return pass_->phase == Phase::recompute || !(is_recomputed(layer) || recomputes(settings_.recomputes_experts));
}

bool ChunkWalk::recomputes(bool module) const {
  return module && settings_.recompute.kind == Recompute::Kind::selective;
}

void ChunkWalk::layer_backward(std::uint64_t index) {
  const auto prefix = layer_prefix(index);
  if (model_.has_experts(chunk_.place.first_layer + index)) {
    if (recomputes(settings_.recomputes_experts)) recompute([&] { experts(prefix, true); });
    experts_backward(prefix);
  } else {
    if (recomputes(settings_.recomputes_mlp)) recompute([&] { mlp(prefix, "", model_.feed_forward); });
    mlp_backward(prefix, "", model_.feed_forward);
  }
  norm_backward(prefix + "mlp_norm");
  attention_backward(prefix);
}

std::vector<ChunkWalk::Step> ChunkWalk::latent_steps() const {
  const auto& latent = model_.latent;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  std::vector<Step> steps;
  const bool is_narrow = latent.query_rank > 0;
  if (is_narrow) steps.push_back({"q_down", {local_tokens(), number(model_.hidden), number(latent.query_rank)}});
  steps.push_back({"kv_down", {local_tokens(), number(model_.hidden), number(latent.key_rank + latent.rotary_width)}});
  steps.push_back(
      {"q_up", {tokens(), number(is_narrow ? latent.query_rank : model_.hidden), number(model_.query_width()) / tp()}});
  steps.push_back(
      {"kv_up",
       {tokens(), number(latent.key_rank), number(model_.heads * (latent.plain_width + latent.value_width)) / tp()}});
  return steps;
}

void ChunkWalk::attention(const std::string& prefix) {
  norm(prefix + "input_norm");
  if (model_.latent.key_rank > 0) {
    for (const auto& [module, product] : latent_steps()) {
      need(prefix + module);
      multiply(module, product);
    }
    if (has_sequence()) over_tensor(Collective::all_gather);
  } else {
    need(prefix + "qkv");
    gather_and_multiply("qkv", {tokens(), static_cast<double>(model_.hidden), qkv_outputs()});
    share_queries(Collective::all_gather);
  }
  if (model_.has_head_norms) {
    need(prefix + "q_norm");
    need(prefix + "k_norm");
  }
  attend();
  need(prefix + "proj");
  multiply_and_sum("proj", {tokens(), result_width(), static_cast<double>(model_.hidden)});
}

void ChunkWalk::attention_backward(const std::string& prefix) {
  rows_backward("proj", {tokens(), result_width(), static_cast<double>(model_.hidden)});
  complete(prefix + "proj");
  if (recomputes(settings_.recomputes_attention)) recompute([&] { attend(); });
  attend();
  if (model_.has_head_norms) {
    complete(prefix + "k_norm");
    complete(prefix + "q_norm");
  }
  if (model_.latent.key_rank > 0) {
    const auto steps = latent_steps();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      rows_backward(step->module, step->product);
      complete(prefix + step->module);
    }
  } else {
    share_queries(Collective::reduce_scatter);
    columns_backward("qkv", {tokens(), static_cast<double>(model_.hidden), qkv_outputs()});
    complete(prefix + "qkv");
  }
  norm_backward(prefix + "input_norm");
}

/// With fewer groups of queries than ranks, each rank gets all groups and takes its part.
void ChunkWalk::share_queries(Collective collective) {
  if (model_.key_heads >= static_cast<std::uint64_t>(settings_.sizes.tensor)) return;
  pass_->call({.collective = collective,
               .elements = settings_.tokens() * (model_.heads + 2 * model_.key_heads) * model_.head_width,
               .type = settings_.type,
               .over = Over::tensor,
               .tag = "qkv"});
}

void ChunkWalk::mlp(const std::string& prefix, const std::string& name, std::uint64_t feed_forward) {
  need(prefix + name + "fc1");
  gather_and_multiply("fc1", {tokens(), static_cast<double>(model_.hidden), fc1_outputs(feed_forward, tp())});
  need(prefix + name + "fc2");
  multiply_and_sum("fc2", {tokens(), static_cast<double>(feed_forward) / tp(), static_cast<double>(model_.hidden)});
}

void ChunkWalk::mlp_backward(const std::string& prefix, const std::string& name, std::uint64_t feed_forward) {
  rows_backward("fc2", {tokens(), static_cast<double>(feed_forward) / tp(), static_cast<double>(model_.hidden)});
  complete(prefix + name + "fc2");
  columns_backward("fc1", {tokens(), static_cast<double>(model_.hidden), fc1_outputs(feed_forward, tp())});
  complete(prefix + name + "fc1");
}

void ChunkWalk::norm(const std::string& module) {
  need(module);
  pass_->compute(0, norm_bytes(), "norm");
}

/// Launched by autograd itself. Linear layers have a backward pass in Python, with a launch for each product.
void ChunkWalk::norm_backward(const std::string& module) {
  pass_->compute(0, 2 * norm_bytes(), "norm").is_launched = false;
  complete(module);
}

/// A share of the rank's queries times keys and values. Causal: a token attends to half of the sequence on average, and
/// the ranks of a context group have equal shares.
void ChunkWalk::core_attention(double share) {
  const double times = pass_->phase == Phase::backward ? 2 : 1;
  const Operator core{.kind = Operator::Kind::attention,
                      .rows = tokens() * share,
                      .columns = static_cast<double>(settings_.sequence),
                      .inner = static_cast<double>(model_.query_width() + model_.result_width()) / 2 / tp(),
                      .heads = static_cast<double>(model_.heads) / tp()};
  pass_->compute(times * 4 * core.attended() * core.inner * core.rows, 0, "attention", {core});
}

void ChunkWalk::multiply(const std::string& module, const Product& product) {
  const double elements = product.inputs * product.outputs;
  pass_->compute(2 * elements * product.rows, bytes * (elements + product.rows * (product.inputs + product.outputs)),
                 module, {{Operator::Kind::product, product.rows, product.outputs, product.inputs}});
}

/// A column-parallel product.
void ChunkWalk::gather_and_multiply(const std::string& module, const Product& product) {
  const bool is_async = settings_.overlaps_tensor_calls;
  const auto gathered = has_sequence() ? over_tensor(Collective::all_gather, is_async) : std::nullopt;
  multiply(module, product);
  if (is_async) pass_->wait(gathered);
}

/// A row-parallel product, whose parts are summed up.
void ChunkWalk::multiply_and_sum(const std::string& module, const Product& product) {
  const auto collective = has_sequence() ? Collective::reduce_scatter : Collective::all_reduce;
  if (!settings_.overlaps_tensor_calls) {
    multiply(module, product);
    over_tensor(collective);
    return;
  }
  const auto summed = over_tensor(collective, true);
  multiply(module, product);
  pass_->wait(summed);
}

void ChunkWalk::add_product(const Product& product, const char* what, bool is_of_weights, bool has_loss) {
  const double elements = product.inputs * product.outputs;
  const Operator forward{Operator::Kind::product, product.rows, product.outputs, product.inputs};
  std::vector<Operator> operators{is_of_weights ? Operator{forward.kind, forward.columns, forward.inner, forward.rows}
                                                : Operator{forward.kind, forward.rows, forward.inner, forward.columns}};
  if (has_loss) operators.push_back({Operator::Kind::loss, product.rows, product.outputs});
  pass_->compute(2 * elements * product.rows, bytes * (elements + product.rows * (product.inputs + product.outputs)),
                 what, std::move(operators));
}

void ChunkWalk::columns_backward(const std::string& module, const Product& product, bool has_loss) {
  std::optional<int> gathered, summed;
  const auto call = [&](Collective collective) {
    return pass_->call({.collective = collective,
                        .elements = activations(),
                        .type = settings_.type,
                        .over = Over::tensor,
                        .is_async = true});
  };
  if (has_sequence()) gathered = call(Collective::all_gather);
  add_product(product, module.c_str(), false, has_loss);
  pass_->wait(gathered);
  summed = call(has_sequence() ? Collective::reduce_scatter : Collective::all_reduce);
  add_product(product, module.c_str(), true);
  pass_->wait(summed);
}

void ChunkWalk::rows_backward(const std::string& module, const Product& product) {
  const bool is_async = settings_.overlaps_tensor_calls;
  const auto gathered = has_sequence() ? over_tensor(Collective::all_gather, is_async) : std::nullopt;
  add_product(product, module.c_str(), false);
  if (is_async) pass_->wait(gathered);
  add_product(product, module.c_str(), true);
}

std::optional<int> ChunkWalk::over_tensor(Collective collective, bool is_async) {
  return pass_->call({.collective = collective,
                      .elements = activations(),
                      .type = settings_.type,
                      .over = Over::tensor,
                      .is_async = is_async});
}

void ChunkWalk::need(const std::string& module) {
  if (!sharing_.gathers) return;
  const auto found = buffers_.of_module.find(module);
  if (found == buffers_.of_module.end()) return;
  for (const auto& [buffer, bucket] : found->second) {
    if (is_waited_for_[buffer][bucket]) continue;
    is_waited_for_[buffer][bucket] = true;
    if (buffers_.is_joint) {
      for (std::size_t each = 0; each < is_issued_[buffer].size(); ++each) gather(buffer, each);
    } else {
      gather(buffer, bucket);
    }
    pass_->wait(gathers_[buffer][bucket]);
    if (bucket > 0) gather(buffer, bucket - 1);
  }
}

void ChunkWalk::gather(std::size_t buffer, std::size_t bucket) {
  if (is_issued_[buffer][bucket]) return;
  is_issued_[buffer][bucket] = true;
  const auto& of = buffers_.all[buffer];
  gathers_[buffer][bucket] = megatron::gather(*pass_, settings_, of, of.buckets[bucket], launch_of(buffer));
}

void ChunkWalk::complete(const std::string& module) {
  if (!sharing_.reduces) return;
  const auto found = buffers_.of_module.find(module);
  if (found == buffers_.of_module.end()) return;
  for (const auto& [buffer, bucket] : found->second) {
    if (--missing_[buffer][bucket] > 0) continue;
    const auto& of = buffers_.all[buffer];
    if (!buffers_.is_joint) {
      reduce(*pass_, settings_, of, of.buckets[bucket]);
      continue;
    }
    const auto& missing = missing_[buffer];
    if (std::any_of(missing.begin(), missing.end(), [](int each) { return each > 0; })) continue;
    for (const auto& each : of.buckets) reduce(*pass_, settings_, of, each, launch_of(buffer));
  }
}

std::optional<int> ChunkWalk::launch_of(std::size_t buffer) const {
  return buffers_.is_joint ? std::optional(static_cast<int>(buffer)) : std::nullopt;
}

}  // namespace ringmark::replay::megatron
