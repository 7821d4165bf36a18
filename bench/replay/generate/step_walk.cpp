#include "bench/replay/generate/step_walk.hpp"

#include <algorithm>

namespace ringmark::replay {
namespace {

void count_uses(const Module& module, std::vector<int>& uses) {
  for (const int index : module.parameters) ++uses[static_cast<std::size_t>(index)];
  for (const auto& child : module.children) count_uses(child, uses);
}

/// From 0.19.4 on DeepSpeed's own Linear of stage 3 finishes the weight before the bias.
void weight_before_bias(const Model& model, const Module& module, std::vector<int>& order) {
  if (has_linear_with_bias(model, module)) {
    const auto bias = std::find(order.begin(), order.end(), module.parameters[1]);
    if (bias + 1 < order.end() && *(bias + 1) == module.parameters[0]) std::iter_swap(bias, bias + 1);
  }
  for (const auto& child : module.children) weight_before_bias(model, child, order);
}

bool is_attention(const Module& module) {
  return !module.children.empty() && (module.name.ends_with("attn") || module.name.ends_with("attention"));
}

}  // namespace

StepWalk::StepWalk(const Model& model, const StepSettings& settings, TraceBuilder& builder)
    : model_(model),
      settings_(settings),
      builder_(builder),
      gradient_order_(gradient_order(model, settings.type == DataType::float32)),
      uses_(model.parameters.size()) {
  count_uses(model.forward, uses_);
  const bool is_stage3 = settings.framework.kind == Framework::Kind::deepspeed && settings.zero_stage == 3;
  if (is_stage3 && !settings.framework.is_before(0, 19, 4)) weight_before_bias(model, model.forward, gradient_order_);
}

void StepWalk::run(StepHooks& hooks) {
  for (micro_step_ = 0; micro_step_ < settings_.micro_steps; ++micro_step_) {
    uses_left_ = uses_;
    next_gradient_ = 0;
    builder_.at(Phase::forward, micro_step_);
    hooks.begin_micro_step(micro_step_);
    forward(model_.forward, Phase::forward, hooks);
    builder_.at(Phase::backward, micro_step_);
    backward(model_.forward, hooks);
    hooks.end_micro_step(micro_step_);
  }
  builder_.at(Phase::step, settings_.micro_steps - 1);
  hooks.optimizer_step();
}

void StepWalk::forward(const Module& module, Phase phase, StepHooks& hooks) {
  hooks.enter(module, phase);
  compute(module, 1);
  for (const auto& child : module.children) forward(child, phase, hooks);
  hooks.leave(module, phase);
}

void StepWalk::backward(const Module& module, StepHooks& hooks) {
  if (module.recompute) {
    builder_.at(Phase::recompute, micro_step_);
    forward(module, Phase::recompute, hooks);
    builder_.at(Phase::backward, micro_step_);
  }
  hooks.enter(module, Phase::backward);
  // What a container does with parameters of its own may come after its children: their place in the order decides.
  const bool is_container = !module.children.empty();
  if (is_container) count_down(module, hooks);
  for (auto child = module.children.rbegin(); child != module.children.rend(); ++child) backward(*child, hooks);
  compute(module, 2);
  if (!is_container) count_down(module, hooks);
  if (module.differentiable_input) hooks.leave(module, Phase::backward);
}

void StepWalk::compute(const Module& module, double factor) {
  const auto tokens = static_cast<double>(settings_.micro_batch * settings_.sequence);
  const auto element_bytes = static_cast<double>(size_bytes(settings_.type));
  double flops = 0, elements = 0;
  for (const int index : module.parameters) {
    const auto& parameter = model_.parameters[static_cast<std::size_t>(index)];
    const auto weights = static_cast<double>(parameter.elements());
    if (parameter.shape.size() < 2) {
      elements += weights + 2 * tokens * weights;
    } else if (module.differentiable_input) {
      flops += 2 * weights * tokens;
      elements += weights + tokens * static_cast<double>(parameter.shape.front() + parameter.shape.back());
    } else {
      elements += 2 * tokens * static_cast<double>(parameter.shape.back());
    }
  }
  if (is_attention(module)) {
    const auto width = static_cast<double>(model_.dimensions.hidden);
    flops += 2 * static_cast<double>(settings_.sequence) * width * tokens;  // scores and values, the causal half
  }
  if (flops > 0 || elements > 0) builder_.compute(factor * flops, factor * elements * element_bytes, module.name);
}

/// In the known order: a gradient waits for those before it.
void StepWalk::count_down(const Module& module, StepHooks& hooks) {
  for (const int parameter : module.parameters) --uses_left_[static_cast<std::size_t>(parameter)];
  while (next_gradient_ < gradient_order_.size() &&
         uses_left_[static_cast<std::size_t>(gradient_order_[next_gradient_])] == 0) {
    hooks.gradient_ready(gradient_order_[next_gradient_++]);
  }
}

}  // namespace ringmark::replay
