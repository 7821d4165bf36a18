// A model in a training framework's terms: its tensors, and the modules that use them in the order of execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::replay {

struct Parameter {
  std::string name;
  std::vector<std::uint64_t> shape;
  bool requires_grad = true;  ///< false: frozen, like the base model of a fine-tuning

  std::uint64_t elements() const {
    std::uint64_t product = 1;
    for (const auto length : shape) product *= length;
    return product;
  }
  bool operator==(const Parameter&) const = default;
};

/// A node of the tree of modules. Children run in order, after the module's own computation.
struct Module {
  std::string name;
  std::vector<int> parameters;  ///< indices; a shared tensor (a tied embedding) is listed in both modules
  std::vector<Module> children;
  /// False for a module fed with token ids: gradients end there, and a weight is looked up, not multiplied.
  bool differentiable_input = true;
  /// Its forward runs again before its backward, instead of keeping its activations.
  bool recompute = false;
  /// If it is attention: its core (all but the projections) runs again, instead of keeping its activations.
  bool recompute_core = false;
  /// Tokens that a token attends to at most, itself included, if the module is attention; 0: all before it.
  std::uint64_t attention_window = 0;

  bool operator==(const Module&) const = default;
};

/// Dimensions for activations and attention. Zero if the description lacks them.
struct Dimensions {
  std::uint64_t layers = 0, hidden = 0, heads = 0, vocabulary = 0, positions = 0;
  std::uint64_t attention_width = 0;  ///< of all heads; 0: hidden
  std::uint64_t key_width = 0, feed_forward = 0;

  bool operator==(const Dimensions&) const = default;
};

struct Model {
  std::string name;
  std::vector<Parameter> parameters;  ///< in registration order
  Module forward;
  /// Indices in the order in which gradients become ready, if known.
  std::optional<std::vector<int>> gradient_order;
  /// Indices in each of the optimizer's groups, if known.
  std::optional<std::vector<std::vector<int>>> parameter_groups;
  Dimensions dimensions;
  /// In 16-bit training a norm casts its weight and bias, which reverses the order of their gradients;
  /// torch.nn.LayerNorm does not cast.
  bool norms_cast = true;
  std::string type;                ///< model_type of Hugging Face's config.json; empty if unknown
  std::vector<std::string> notes;  ///< on what its file does not state, and on what is not modelled

  std::uint64_t elements() const;
  std::uint64_t trained_elements() const;  ///< of the tensors that require a gradient
  bool operator==(const Model&) const = default;
};

/// True for a numbered module ("layers.7").
bool is_layer(const Module& module);

/// Elements of the tensors outside the layers.
std::uint64_t elements_outside_layers(const Model& model);

/// Elements of the used tensors that are only looked up and never multiplied, such as an untied embedding.
std::uint64_t looked_up_elements(const Model& model);

/// The operations from which MFU follows: 6 for each parameter that is multiplied, and PaLM's 12 for each layer, unit
/// of width and token of the sequence.
double training_operations_of_a_token(double multiplied, double layers, double hidden, double sequence);
double training_operations_of_a_token(const Model& model, double sequence);

/// True for a module that holds the projections of attention, by its name.
bool is_attention(const Module& module);

/// How many modules use each parameter.
std::vector<int> uses_of(const Model& model);

/// For each parameter: whether it gets a gradient, because it requires one and a module uses it.
std::vector<bool> gets_gradient(const Model& model);

/// The parameters that get a gradient, in the order given by the model. Without one: the reverse of forward use, where
/// a tensor is ready after its last use. Within a module a bias precedes its weight; in a norm that does not cast, the
/// weight precedes its bias.
std::vector<int> gradient_order(const Model& model, bool is_float32);

/// True if the module has a bias and multiplies by a matrix of [outputs, inputs], like torch.nn.Linear. Modules with
/// [inputs, outputs], as in GPT-2, are recognised by their shapes, square ones by the rest of the model.
bool has_linear_with_bias(const Model& model, const Module& module);

}  // namespace ringmark::replay
