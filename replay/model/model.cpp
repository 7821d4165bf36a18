#include "replay/model/model.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

namespace ringmark::replay {
namespace {

const Parameter& parameter(const Model& model, int index) { return model.parameters[static_cast<std::size_t>(index)]; }

void count_uses(const Module& module, std::vector<int>& uses) {
  for (const int index : module.parameters) ++uses[static_cast<std::size_t>(index)];
  for (const auto& child : module.children) count_uses(child, uses);
}

struct WeightAndBias {
  const Parameter* weight;
  const Parameter* bias;
};

std::optional<WeightAndBias> weight_and_bias(const Model& model, const Module& module) {
  if (module.parameters.size() != 2) return std::nullopt;
  const auto& first = parameter(model, module.parameters[0]);
  const auto& second = parameter(model, module.parameters[1]);
  if (second.shape.size() != 1 || (first.shape.size() != 1 && first.shape.size() != 2)) return std::nullopt;
  return WeightAndBias{&first, &second};
}

bool any_module(const Module& module, const std::function<bool(const Module&)>& is) {
  return is(module) ||
         std::any_of(module.children.begin(), module.children.end(), [&](const auto& c) { return any_module(c, is); });
}

bool keeps_inputs_first(const Model& model) {
  return any_module(model.forward, [&](const Module& module) {
    const auto pair = weight_and_bias(model, module);
    return pair && pair->weight->shape.size() == 2 && pair->weight->shape[0] != pair->weight->shape[1] &&
           pair->weight->shape[1] == pair->bias->shape[0];
  });
}

class GradientOrder {
 public:
  GradientOrder(const Model& model, bool is_float32)
      : model_(model), norms_cast_(model.norms_cast && !is_float32), uses_left_(uses_of(model)) {}

  std::vector<int> run() {
    pass(model_.forward);
    return std::move(order_);
  }

 private:
  void pass(const Module& module) {
    for (auto child = module.children.rbegin(); child != module.children.rend(); ++child) pass(*child);
    auto own = module.parameters;
    const auto pair = weight_and_bias(model_, module);
    const bool is_norm = pair && pair->weight->shape.size() == 1;
    if (!is_norm || norms_cast_) std::reverse(own.begin(), own.end());
    for (const int index : own) {
      if (--uses_left_[static_cast<std::size_t>(index)] == 0 && parameter(model_, index).requires_grad)
        order_.push_back(index);
    }
  }

  const Model& model_;
  bool norms_cast_;
  std::vector<int> uses_left_, order_;
};

}  // namespace

std::uint64_t Model::elements() const {
  std::uint64_t sum = 0;
  for (const auto& each : parameters) sum += each.elements();
  return sum;
}

std::uint64_t Model::trained_elements() const {
  std::uint64_t sum = 0;
  for (const auto& each : parameters) sum += each.requires_grad ? each.elements() : 0;
  return sum;
}

std::vector<int> uses_of(const Model& model) {
  std::vector<int> uses(model.parameters.size());
  count_uses(model.forward, uses);
  return uses;
}

std::vector<bool> gets_gradient(const Model& model) {
  const auto uses = uses_of(model);
  std::vector<bool> result;
  for (std::size_t i = 0; i < uses.size(); ++i) result.push_back(uses[i] > 0 && model.parameters[i].requires_grad);
  return result;
}

std::uint64_t looked_up_elements(const Model& model) {
  enum class Use { none, lookup, product };
  std::vector<Use> uses(model.parameters.size());
  const std::function<void(const Module&)> visit = [&](const Module& module) {
    for (const int index : module.parameters) {
      auto& use = uses[static_cast<std::size_t>(index)];
      use = std::max(use, module.differentiable_input ? Use::product : Use::lookup);
    }
    for (const auto& child : module.children) visit(child);
  };
  visit(model.forward);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) sum += uses[i] == Use::lookup ? model.parameters[i].elements() : 0;
  return sum;
}

double training_operations_of_a_token(double multiplied, double layers, double hidden, double sequence) {
  return 6 * multiplied + 12 * layers * sequence * hidden;
}

double training_operations_of_a_token(const Model& model, double sequence) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const auto& d = model.dimensions;
  return training_operations_of_a_token(number(model.elements() - looked_up_elements(model)), number(d.layers),
                                        number(d.hidden), sequence);
}

bool is_layer(const Module& module) {
  const auto& name = module.name;
  const auto dot = name.rfind('.');
  return dot != std::string::npos && dot + 1 < name.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::uint64_t elements_outside_layers(const Model& model) {
  std::vector<bool> is_in_layer(model.parameters.size());
  const std::function<void(const Module&, bool)> visit = [&](const Module& module, bool within) {
    within = within || is_layer(module);
    for (const int index : module.parameters) is_in_layer[static_cast<std::size_t>(index)] = within;
    for (const auto& child : module.children) visit(child, within);
  };
  visit(model.forward, false);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < is_in_layer.size(); ++i) sum += is_in_layer[i] ? 0 : model.parameters[i].elements();
  return sum;
}

bool is_attention(const Module& module) {
  return !module.children.empty() && (module.name.ends_with("attn") || module.name.ends_with("attention"));
}

std::vector<int> gradient_order(const Model& model, bool is_float32) {
  return model.gradient_order ? *model.gradient_order : GradientOrder(model, is_float32).run();
}

bool has_linear_with_bias(const Model& model, const Module& module) {
  const auto pair = weight_and_bias(model, module);
  if (!pair || pair->weight->shape.size() != 2 || pair->weight->shape[0] != pair->bias->shape[0]) return false;
  return pair->weight->shape[0] != pair->weight->shape[1] || !keeps_inputs_first(model);
}

}  // namespace ringmark::replay
