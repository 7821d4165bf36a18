#include "analysis/plan/models.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/errors.hpp"
#include "replay/generate/megatron/load_transformer.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/eager_layers.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::analysis {
namespace {

using Transformer = replay::Transformer;

/// Every model of Hugging Face has a config.json, in a folder of its own.
std::string name_of(const std::filesystem::path& file) {
  const bool is_named_by_folder = file.filename() == "config.json" && file.has_parent_path();
  return (is_named_by_folder ? file.parent_path().filename() : file.stem()).string();
}

ModelShape shape_of(std::string name, replay::Model model) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const auto& d = model.dimensions;
  ModelShape shape{std::move(name),  number(model.elements()), number(d.layers),
                   number(d.hidden), number(d.vocabulary),     number(d.heads)};
  shape.looked_up = number(replay::looked_up_elements(model));
  if (const auto layer = replay::eager_layer_bytes(model, replay::Precision::half)) shape.eager_kept = layer->kept;
  shape.notes = model.notes;
  shape.model = std::make_shared<const replay::Model>(std::move(model));
  return shape;
}

replay::Architecture architecture_of(const ModelShape& shape) {
  const auto whole = [](double value) { return static_cast<std::uint64_t>(std::max(1.0, std::round(value))); };
  replay::Architecture architecture{shape.name, replay::Architecture::Family::gpt2};
  architecture.layers = whole(shape.layers);
  architecture.hidden = whole(shape.hidden);
  architecture.heads = architecture.key_heads = whole(shape.heads);
  architecture.vocabulary = whole(shape.vocabulary);
  architecture.positions = 1;
  architecture.is_tied = true;
  // Attention has four matrices of the width squared; the rest of a layer are the two of the feed-forward part.
  const double in_layers = shape.parameters - shape.vocabulary * shape.hidden;
  architecture.feed_forward = whole(in_layers / shape.layers / (2 * shape.hidden) - 2 * shape.hidden);
  return architecture;
}

}  // namespace

replay::Model model_of_shape(const ModelShape& shape) {
  auto model = replay::make_model(architecture_of(shape));
  model.type.clear();  // the layers are like GPT-2's only in size
  return model;
}

const std::vector<ModelShape>& shipped_models() {
  static const std::vector<ModelShape> models = [] {
    std::vector<ModelShape> shapes;
    for (const auto& each : replay::shipped_architectures()) {
      auto& shape = shapes.emplace_back(shape_of(each.name, replay::make_model(each)));
      shape.transformer = std::make_shared<const Transformer>(replay::megatron::transformer_of(each));
    }
    return shapes;
  }();
  return models;
}

std::optional<ModelShape> find_model(const std::string& name) {
  const auto& models = shipped_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const ModelShape& each) { return each.name == name; });
  return found == models.end() ? std::nullopt : std::optional(*found);
}

Transformer transformer_of_shape(const ModelShape& shape) {
  return replay::megatron::transformer_of(architecture_of(shape));
}

ModelShape transformer_of_file(const std::string& file) {
  std::vector<std::string> notes;
  auto transformer = replay::megatron::load_transformer(file, notes);
  const auto elements = replay::megatron::elements_of(transformer);
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double embedding = number(transformer.vocabulary) * number(transformer.hidden);
  ModelShape shape{name_of(file),
                   elements.total,
                   number(transformer.layers),
                   number(transformer.hidden),
                   number(transformer.vocabulary),
                   number(transformer.heads)};
  shape.looked_up = transformer.is_tied ? 0 : embedding;
  shape.idle = elements.total - elements.active;
  shape.notes = std::move(notes);
  shape.transformer = std::make_shared<const Transformer>(std::move(transformer));
  return shape;
}

ModelShape model_of_file(const std::string& file) {
  auto model = replay::load_model(file);
  const auto& d = model.dimensions;
  if (d.layers == 0 || d.hidden == 0 || d.heads == 0 || d.vocabulary == 0)
    throw BadUsage(Problem{.flag = "models",
                           .value = file,
                           .text = "its dimensions are missing",
                           .remedy = "add dimensions: {layers, hidden, heads, vocabulary}"});
  if (model.trained_elements() < model.elements())
    throw BadUsage(Problem{.flag = "models",
                           .value = file,
                           .text = "some of its tensors are frozen, but a plan trains all of them",
                           .remedy = "use ringmark-replay predict for it"});
  return shape_of(name_of(file), std::move(model));
}

}  // namespace ringmark::analysis
