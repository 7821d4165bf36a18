#include "replay/generate/torchtitan/chunk_passes.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

}  // namespace

void ChunkPasses::start(const char* name, Phase phase, Part part) {
  part_ = part;
  made_ = {name, std::nullopt, {}};
  if (settings_.stages_of_rank() > 1) made_.chunk = chunk_.stage;
  pass_.emplace(grid_, made_);
  pass_->phase = phase;
  weights_.begin_pass(*pass_);
}

Pass ChunkPasses::forward() {
  start("forward", Phase::forward);
  for (std::size_t at = 0; at < chunk_.units.size(); ++at) {
    const auto& unit = chunk_.units[at];
    weights_.before_forward(at);
    if (unit.kind == Unit::Kind::embedding) embed();
    if (unit.kind == Unit::Kind::layer) layer(unit);
    if (unit.kind == Unit::Kind::head) {
      norm();
      if (settings_.has_sequence()) over_tensor(Collective::all_gather);
    }
    weights_.after_forward(at);
  }
  weights_.end_forward();
  if (chunk_.has(Unit::Kind::head)) loss();
  return std::move(made_);
}

/// A backward pass may have two parts: gradients of the input, with all calls, then those of the weights. The first
/// stage's input needs no gradient, so its whole backward pass is in the second part.
ChunkPasses::Part ChunkPasses::part_of(Kind kind) const {
  if (kind == Kind::backward) return Part::all;
  if (chunk_.stage == 0) return kind == Kind::backward_input ? Part::nothing : Part::all;
  return kind == Kind::backward_input ? Part::input : Part::weights;
}

Pass ChunkPasses::backward(Kind kind) {
  const char* name = kind == Kind::backward_input ? "backward_input" : "backward_weight";
  start(kind == Kind::backward ? "backward" : name, Phase::backward, part_of(kind));
  if (part_ == Part::nothing) return std::move(made_);
  for (auto at = chunk_.units.size(); at-- > 0;) {
    const auto& unit = chunk_.units[at];
    if (part_ != Part::weights) weights_.before_backward(at);
    if (unit.kind == Unit::Kind::head) head_backward();
    if (unit.kind == Unit::Kind::layer) layer_backward(unit);
    if (unit.kind == Unit::Kind::embedding) embed_backward();
    // PyTorch loses the last norm's gradient between the two parts of a backward pass.
    if (part_ != Part::weights) weights_.after_backward(at, part_ == Part::all || unit.kind != Unit::Kind::head);
  }
  if (settings_.sizes.pipeline == 1) weights_.end_backward();
  return std::move(made_);
}

Pass ChunkPasses::manage(Kind kind) {
  start("step", kind == Kind::unshard ? Phase::forward : Phase::backward);
  if (kind == Kind::unshard) weights_.unshard();
  if (kind == Kind::reshard) weights_.reshard();
  if (kind == Kind::reduce_gradients) weights_.reduce_gradients();
  return std::move(made_);
}

void ChunkPasses::embed() {
  pass_->compute(0, real(size_bytes(settings_.type)) * 2 * tokens() * hidden(), "embedding");
  sum_up();
}

void ChunkPasses::embed_backward() {
  sum_up_backward();
  pass_->compute(0, real(size_bytes(settings_.type)) * 4 * tokens() * hidden(), "embedding");
}

/// Each chunk of the sequence does its product, its loss and its backward pass before the next chunk begins.
void ChunkPasses::loss() {
  weights_.begin_loss();
  for (std::uint64_t chunk = 0; chunk < settings_.loss_chunks; ++chunk) loss_chunk();
  pass_->phase = Phase::backward;
  weights_.end_loss();
  pass_->phase = Phase::forward;
}

/// The vocabulary is split over the tensor group: its ranks agree on the largest logit and on two sums.
void ChunkPasses::loss_chunk() {
  const auto rows = settings_.tokens() / settings_.loss_chunks;
  const Product product{real(rows), hidden(), real(model_.vocabulary) / tp()};
  multiply(*pass_, settings_.type, "head", product, true);
  for (const auto op : {ReduceOp::max, ReduceOp::sum, ReduceOp::sum})
    pass_->call({.elements = rows, .type = DataType::float32, .over = Over::tensor, .op = op, .tag = "loss"});
  pass_->phase = Phase::backward;
  replay::multiply_back(*pass_, settings_.type, "head", product, Gradient::of_input, true);
  replay::multiply_back(*pass_, settings_.type, "head", product, Gradient::of_weights);
  pass_->phase = Phase::forward;
}

/// The backward pass of the norm; that of the head is part of the loss.
void ChunkPasses::head_backward() {
  spread_backward();
  norm_backward();
}

void ChunkPasses::layer(const Unit& unit) {
  attention();
  norm();
  if (model_.has_experts(unit.layer)) return all_experts();
  spread();
  mlp(model_.feed_forward);
}

void ChunkPasses::recompute(const Unit& unit) {
  pass_->phase = Phase::recompute;
  layer(unit);
  pass_->phase = Phase::backward;
}

/// Recomputes every second product of a layer, and its norms; the results of attention and of calls are kept. For plain
/// attention and an MLP, these are the products of the keys, of attention's output, and the second one of the MLP.
void ChunkPasses::recompute_some(const Unit& unit) {
  pass_->phase = Phase::recompute;
  norm();
  if (model_.latent.key_rank == 0)
    multiply(*pass_, settings_.type, "wk", {tokens(), hidden(), real(model_.key_width()) / tp()});
  multiply(*pass_, settings_.type, "wo", attention_output());
  norm();
  if (!model_.has_experts(unit.layer)) {
    const auto steps = mlp_steps(model_.feed_forward);
    multiply(*pass_, settings_.type, steps.back().module, steps.back().product);
  }
  pass_->phase = Phase::backward;
}

/// A pass for weights alone computes each tensor's gradient separately, each time recomputing the whole layer.
void ChunkPasses::layer_backward(const Unit& unit) {
  if (settings_.recomputes && part_ == Part::weights) {
    for (const auto& group : unit.groups) {
      for (std::size_t tensor = 0; tensor < group.tensors.size(); ++tensor) recompute(unit);
    }
  } else if (settings_.recomputes) {
    recompute_ = [this, &unit] { recompute(unit); };
  } else if (settings_.recomputes_some && part_ != Part::weights) {
    recompute_some(unit);
  }
  if (model_.has_experts(unit.layer)) {
    all_experts_backward();
  } else {
    mlp_backward(model_.feed_forward);
    spread_backward();
  }
  norm_backward();
  attention_backward();
}

void ChunkPasses::multiply_back(const std::string& module, const Product& product) {
  if (has_input_gradients()) replay::multiply_back(*pass_, settings_.type, module, product, Gradient::of_input);
  if (has_weight_gradients()) replay::multiply_back(*pass_, settings_.type, module, product, Gradient::of_weights);
}

void ChunkPasses::steps_backward(const std::vector<NamedProduct>& steps) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) multiply_back(step->module, step->product);
}

std::vector<NamedProduct> ChunkPasses::attention_steps() const {
  if (model_.latent.key_rank > 0) return latent_products(model_, tokens(), tokens(), tp());
  return {{"qkv", {tokens(), hidden(), real(model_.attention_inputs()) / tp()}}};
}

std::vector<NamedProduct> ChunkPasses::mlp_steps(std::uint64_t feed_forward) const {
  const Product product{tokens(), hidden(), real(feed_forward) / tp()};
  return {{"w1", product}, {"w3", product}};
}

void ChunkPasses::attention() {
  norm();
  spread();
  for (const auto& [module, product] : attention_steps()) multiply(*pass_, settings_.type, module, product);
  attend();
  multiply(*pass_, settings_.type, "wo", attention_output());
  sum_up();
}

void ChunkPasses::attention_backward() {
  sum_up_backward();
  multiply_back("wo", attention_output());
  attend();
  steps_backward(attention_steps());
  spread_backward();
  norm_backward();
}

void ChunkPasses::mlp(std::uint64_t feed_forward) {
  for (const auto& [module, product] : mlp_steps(feed_forward)) multiply(*pass_, settings_.type, module, product);
  multiply(*pass_, settings_.type, "w2", mlp_output(feed_forward));
  sum_up();
}

void ChunkPasses::mlp_backward(std::uint64_t feed_forward) {
  sum_up_backward();
  multiply_back("w2", mlp_output(feed_forward));
  steps_backward(mlp_steps(feed_forward));
}

/// Reads and writes the activations, and reads the weights.
void ChunkPasses::norm() {
  pass_->compute(0, real(size_bytes(settings_.type)) * hidden() * (1 + 2 * local_tokens()), "norm");
}

void ChunkPasses::norm_backward() {
  pass_->compute(0, 2 * real(size_bytes(settings_.type)) * hidden() * (1 + 2 * local_tokens()), "norm").is_launched =
      false;
}

}  // namespace ringmark::replay::torchtitan
