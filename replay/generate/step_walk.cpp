#include "replay/generate/step_walk.hpp"

#include <algorithm>

namespace ringmark::replay {
namespace {

/// From 0.19.4 on, DeepSpeed's own Linear (stage 3) finishes the weight's gradient before the bias's.
void weight_before_bias(const Model& model, const Module& module, std::vector<int>& order) {
  if (has_linear_with_bias(model, module)) {
    const auto bias = std::find(order.begin(), order.end(), module.parameters[1]);
    if (bias + 1 < order.end() && *(bias + 1) == module.parameters[0]) std::iter_swap(bias, bias + 1);
  }
  for (const auto& child : module.children) weight_before_bias(model, child, order);
}

/// True for a matrix of [inputs, outputs], as in GPT-2, if the size of the module's bias shows this order.
bool is_bias_of_columns(const Model& model, const Module& module, const Parameter& matrix) {
  return std::any_of(module.parameters.begin(), module.parameters.end(), [&](int index) {
    const auto& other = model.parameters[static_cast<std::size_t>(index)];
    return other.shape.size() == 1 && other.shape[0] == matrix.shape.back() && other.shape[0] != matrix.shape.front();
  });
}

/// The last module that computes.
const Module* last_with_parameters(const Module& module) {
  for (auto child = module.children.rbegin(); child != module.children.rend(); ++child) {
    if (const auto* found = last_with_parameters(*child)) return found;
  }
  return module.parameters.empty() ? nullptr : &module;
}

/// The module that computes last in a recomputation, if it multiplies by a matrix. Nothing in the backward pass needs
/// its result.
const Module* last_product(const Model& model, const Module& module) {
  const auto* last = last_with_parameters(module);
  if (last == nullptr || !last->children.empty() || !last->differentiable_input) return nullptr;
  const bool has_matrix = std::any_of(last->parameters.begin(), last->parameters.end(), [&](int index) {
    return model.parameters[static_cast<std::size_t>(index)].shape.size() > 1;
  });
  return has_matrix ? last : nullptr;
}

/// From PyTorch 2.1 on, its checkpoints stop recomputing once the backward pass has what it needs. DeepSpeed has its
/// own checkpoints, and transformers uses PyTorch's older ("reentrant") kind.
bool recomputes_in_full(const Framework& framework) {
  return framework.kind == Framework::Kind::deepspeed || framework.is_before(2, 1, 0);
}

}  // namespace

StepWalk::StepWalk(const Model& model, const StepSettings& settings, TraceBuilder& builder)
    : model_(model),
      settings_(settings),
      builder_(builder),
      gradients_(model),
      gradient_order_(gradient_order(model, settings.type == DataType::float32)),
      uses_(uses_of(model)),
      recomputes_in_full_(recomputes_in_full(settings.framework)) {
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
  if (phase != Phase::recompute || &module != not_recomputed_) compute_forward(module);
  for (const auto& child : module.children) forward(child, phase, hooks);
  hooks.leave(module, phase);
}

void StepWalk::backward(const Module& module, StepHooks& hooks) {
  if (!gradients_.has_output_gradient(module)) return;
  if (module.recompute) {
    builder_.at(Phase::recompute, micro_step_);
    not_recomputed_ = recomputes_in_full_ ? nullptr : last_product(model_, module);
    forward(module, Phase::recompute, hooks);
    builder_.at(Phase::backward, micro_step_);
  }
  hooks.enter(module, Phase::backward);
  // A container may use its own parameters after its children: their place in the gradient order decides.
  const bool is_container = !module.children.empty();
  if (is_container) count_down(module, hooks);
  for (auto child = module.children.rbegin(); child != module.children.rend(); ++child) backward(*child, hooks);
  if (module.recompute_core) {
    builder_.at(Phase::recompute, micro_step_);
    compute(module, {}, 1);
    builder_.at(Phase::backward, micro_step_);
  }
  compute_backward(module);
  if (!is_container) count_down(module, hooks);
  if (gradients_.has_input_gradient(module)) hooks.leave(module, Phase::backward);
}

void StepWalk::compute_forward(const Module& module) {
  Work all;
  for (const int index : module.parameters) {
    const auto work = work_of(module, index);
    all.flops += work.flops;
    all.elements += work.elements;
    all.operators.insert(all.operators.end(), work.operators.begin(), work.operators.end());
  }
  compute(module, std::move(all), 1);
}

/// Adds the forward work once for the gradient of the input and once for the gradient of the weights, if they exist.
void StepWalk::compute_backward(const Module& module) {
  const bool has_input_gradient = gradients_.has_input_gradient(module);
  Work all;
  for (const int index : module.parameters) {
    const auto work = work_of(module, index);
    const bool is_trained = model_.parameters[static_cast<std::size_t>(index)].requires_grad;
    // A lookup has no input gradient; the weight's gradient takes twice the work, since it is added to existing values.
    const int times = module.differentiable_input ? int{has_input_gradient} + int{is_trained} : 2 * int{is_trained};
    all.flops += times * work.flops;
    all.elements += times * work.elements;
    for (const auto& each : work.operators) add_backward(each, has_input_gradient, is_trained, all.operators);
  }
  compute(module, std::move(all), 2);
}

/// True for the first vector of a module without a matrix. Only there are a vector's activations counted, since kernels
/// add a bias while they write their result.
bool StepWalk::is_added_alone(const Module& module, int index) const {
  const bool has_matrix = std::any_of(module.parameters.begin(), module.parameters.end(), [&](int each) {
    return model_.parameters[static_cast<std::size_t>(each)].shape.size() >= 2;
  });
  return !has_matrix && index == module.parameters.front();
}

StepWalk::Work StepWalk::work_of(const Module& module, int index) const {
  const auto tokens = static_cast<double>(settings_.micro_batch * settings_.sequence);
  const auto& parameter = model_.parameters[static_cast<std::size_t>(index)];
  const auto weights = static_cast<double>(parameter.elements());
  if (parameter.shape.size() < 2) return {0, weights + (is_added_alone(module, index) ? 2 * tokens * weights : 0), {}};
  const auto rows = static_cast<double>(parameter.shape.front()), columns = static_cast<double>(parameter.shape.back());
  if (!module.differentiable_input) return {0, 2 * tokens * columns, {}};
  const bool has_inputs_first = is_bias_of_columns(model_, module, parameter);
  const double outputs = has_inputs_first ? columns : rows, inputs = has_inputs_first ? rows : columns;
  Work work{2 * weights * tokens,
            weights + tokens * (rows + columns),
            {{Operator::Kind::product, tokens, outputs, inputs * (weights / (rows * columns))}}};
  if (outputs == static_cast<double>(model_.dimensions.vocabulary))
    work.operators.push_back({Operator::Kind::loss, tokens, outputs});
  return work;
}

void StepWalk::add_backward(const Operator& forward, bool has_input_gradient, bool is_trained,
                            std::vector<Operator>& operators) {
  if (forward.kind != Operator::Kind::product) return operators.push_back(forward);
  if (has_input_gradient) operators.push_back({forward.kind, forward.rows, forward.inner, forward.columns});
  if (is_trained) operators.push_back({forward.kind, forward.columns, forward.inner, forward.rows});
}

void StepWalk::compute(const Module& module, Work work, double times_attention) {
  if (is_attention(module)) {
    const auto& dimensions = model_.dimensions;
    const auto width =
        static_cast<double>(dimensions.attention_width > 0 ? dimensions.attention_width : dimensions.hidden);
    const auto tokens = static_cast<double>(settings_.micro_batch * settings_.sequence);
    const Operator attention{.kind = Operator::Kind::attention,
                             .rows = tokens,
                             .columns = static_cast<double>(settings_.sequence),
                             .inner = width,
                             .heads = static_cast<double>(std::max<std::uint64_t>(1, dimensions.heads)),
                             .window = static_cast<double>(module.attention_window)};
    // Scores and values.
    work.flops += times_attention * 4 * attention.attended() * width * tokens;
    work.operators.push_back(attention);
  }
  if (work.flops == 0 && work.elements == 0) return;
  builder_.compute(work.flops, work.elements * static_cast<double>(size_bytes(settings_.type)), module.name,
                   std::move(work.operators));
}

/// Reports gradients in the known order: a gradient waits for those before it.
void StepWalk::count_down(const Module& module, StepHooks& hooks) {
  for (const int parameter : module.parameters) --uses_left_[static_cast<std::size_t>(parameter)];
  while (next_gradient_ < gradient_order_.size() &&
         uses_left_[static_cast<std::size_t>(gradient_order_[next_gradient_])] == 0) {
    hooks.gradient_ready(gradient_order_[next_gradient_++]);
  }
}

}  // namespace ringmark::replay
