// A model as a training framework sees it: its tensors, and the modules that use them in the order of execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::replay {

struct Parameter {
  std::string name;
  std::vector<std::uint64_t> shape;
  bool requires_grad = true;  ///< false: frozen, as the base model of a fine-tuning is

  std::uint64_t elements() const {
    std::uint64_t product = 1;
    for (const auto length : shape) product *= length;
    return product;
  }
  bool operator==(const Parameter&) const = default;
};

/// A node of the tree of modules. Children run in order, after what the module does itself.
struct Module {
  std::string name;
  std::vector<int> parameters;  ///< indices; a tensor that two modules use (a tied embedding) is named by both
  std::vector<Module> children;
  /// False for what is fed by token numbers: gradients end there, and a weight is looked up, not multiplied.
  bool differentiable_input = true;
  /// Its forward runs again before its backward, instead of keeping its activations.
  bool recompute = false;

  bool operator==(const Module&) const = default;
};

/// What activations and attention need beyond the tensors. Zero where a description does not tell.
struct Dimensions {
  std::uint64_t layers = 0, hidden = 0, heads = 0, vocabulary = 0, positions = 0;
  std::uint64_t attention_width = 0;  ///< of all heads; 0: hidden

  bool operator==(const Dimensions&) const = default;
};

struct Model {
  std::string name;
  std::vector<Parameter> parameters;  ///< in registration order
  Module forward;
  /// Indices in the order in which gradients become ready, if it is known.
  std::optional<std::vector<int>> gradient_order;
  /// Indices in each of the optimizer's groups, if they are known.
  std::optional<std::vector<std::vector<int>>> parameter_groups;
  Dimensions dimensions;
  /// In 16 bits a norm casts its weight and bias, whose gradients then come in the reverse order; torch.nn.LayerNorm
  /// does not.
  bool norms_cast = true;

  std::uint64_t elements() const;
  std::uint64_t trained_elements() const;  ///< of the tensors that require a gradient
  bool operator==(const Model&) const = default;
};

/// True for a numbered module ("layers.7").
bool is_layer(const Module& module);

/// True if any module's forward runs again before its backward.
bool recomputes(const Module& module);

/// Elements of the tensors that no layer has.
std::uint64_t elements_outside_layers(const Model& model);

/// Marks the layers, but those within another one, to be recomputed.
void recompute_layers(Model& model);

/// How many modules use each parameter.
std::vector<int> uses_of(const Model& model);

/// Of each parameter, whether it gets a gradient: it requires one, and a module uses it.
std::vector<bool> gets_gradient(const Model& model);

/// Of what gets a gradient. Where it is not given: the reverse of forward use, a tensor when its last use was passed.
/// Within a module a bias comes before its weight; within a norm that casts nothing the weight before its bias.
std::vector<int> gradient_order(const Model& model, bool is_float32);

/// True for the bias of a module that multiplies by a matrix of [outputs, inputs], as torch.nn.Linear does. Modules
/// that keep [inputs, outputs], as GPT-2's do, are told by their shapes, square ones by the rest of the model.
bool has_linear_with_bias(const Model& model, const Module& module);

}  // namespace ringmark::replay
