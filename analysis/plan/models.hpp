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
  double heads = 1;  ///< hidden / 128, unless the model is a shipped one
  /// Bytes that a token keeps in a layer where each operator is a kernel of its own, with 16-bit weights; 0: unknown.
  double eager_kept = 0;
  double looked_up = 0;  ///< of the parameters: an embedding that is not tied multiplies nothing
  double idle = 0;       ///< of the parameters: experts that a token does not meet
  /// Its tensors and modules; where only the shape was given, those of model_of_shape(). Null for models with experts.
  std::shared_ptr<const replay::Model> model = {};
  /// The same for Megatron; null where its layers are not like the model's.
  std::shared_ptr<const replay::Transformer> transformer = {};
  std::vector<std::string> notes = {};  ///< what is left out of the model

  double multiplied() const { return parameters - looked_up - idle; }
};

/// A GPT-2 as wide and deep as the shape, with as many parameters.
replay::Model model_of_shape(const ModelShape& shape);
replay::Transformer transformer_of_shape(const ModelShape& shape);

/// The models that come with the program: llama-440m (a proxy of ours), llama-8b, opt-125m, cerebras-590m, opt-1.3b,
/// cerebras-2.7b, llama2-7b, opt-30b, llama2-70b, llama3-70b, llama3-405b.
const std::vector<ModelShape>& shipped_models();
std::optional<ModelShape> find_model(const std::string& name);

/// A model description or a config.json. Throws BadUsage, also for one that has no dimensions or trains only a part.
ModelShape model_of_file(const std::string& file);
/// A config.json for Megatron, also of a model with experts. Throws BadUsage.
ModelShape transformer_of_file(const std::string& file);

}  // namespace ringmark::analysis
