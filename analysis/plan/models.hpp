// Shapes of the language models that plans are made for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"
#include "replay/model/model.hpp"

namespace ringmark::analysis {

/// The shape of a decoder-only transformer, as far as memory, compute and communication depend on it.
struct ModelShape {
  std::string name;
  double parameters = 0;
  double layers = 0, hidden = 0, vocabulary = 0;
  double heads = 1;  ///< hidden / 128 if only the shape was given
  /// Bytes kept per token and layer if each operator is a separate kernel, with 16-bit weights; 0: unknown.
  double eager_kept = 0;
  double looked_up = 0;  ///< parameters of an untied embedding, which multiply nothing
  double idle = 0;       ///< parameters of experts that a token does not use
  /// Its tensors and modules; where only the shape was given, those of model_of_shape(). Null for models with experts.
  std::shared_ptr<const replay::Model> model = {};
  /// The same for Megatron; null where its layers are not like the model's.
  std::shared_ptr<const replay::Transformer> transformer = {};
  std::vector<std::string> notes = {};  ///< what is left out of the model

  double multiplied() const { return parameters - looked_up - idle; }
};

/// A GPT-2 with the width, depth and number of parameters of the shape.
replay::Model model_of_shape(const ModelShape& shape);
replay::Transformer transformer_of_shape(const ModelShape& shape);

/// The models that come with the program: llama-440m (a proxy of ours), llama-8b, opt-125m, cerebras-590m, opt-1.3b,
/// cerebras-2.7b, llama2-7b, opt-30b, llama2-70b, llama3-70b, llama3-405b.
const std::vector<ModelShape>& shipped_models();
std::optional<ModelShape> find_model(const std::string& name);

/// A model description or a config.json. Throws BadUsage, including for one that lacks dimensions or trains only some
/// of its parameters.
ModelShape model_of_file(const std::string& file);
/// A config.json for Megatron, which may have experts. Throws BadUsage.
ModelShape transformer_of_file(const std::string& file);

}  // namespace ringmark::analysis
