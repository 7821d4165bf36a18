#include "replay/generate/megatron/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::replay::megatron {
namespace {

void check_ranks(const Settings& settings, std::vector<std::string>& problems) {
  const auto& sizes = settings.sizes;
  const int model_ranks = sizes.tensor * sizes.context * sizes.pipeline;
  if (settings.ranks % model_ranks != 0) {
    problems.push_back(fmt::format("{} ranks are no multiple of tensor {} × context {} × pipeline {}", settings.ranks,
                                   sizes.tensor, sizes.context, sizes.pipeline));
    return;
  }
  const int expert_ranks = settings.expert_tensor() * sizes.expert * sizes.pipeline;
  if (settings.ranks % expert_ranks != 0)
    problems.push_back(fmt::format("{} ranks are no multiple of expert tensor {} × expert {} × pipeline {}",
                                   settings.ranks, settings.expert_tensor(), sizes.expert, sizes.pipeline));
  if (settings.data_parallel() % settings.optimizer_instances != 0)
    problems.push_back(fmt::format("{} data-parallel ranks are no multiple of {} optimizer instances",
                                   settings.data_parallel(), settings.optimizer_instances));
  const auto samples = settings.micro_batch * static_cast<std::uint64_t>(settings.data_parallel());
  if (settings.global_batch % samples != 0)
    problems.push_back(fmt::format("a global batch of {} is no multiple of micro-batch {} × {} data-parallel ranks",
                                   settings.global_batch, settings.micro_batch, settings.data_parallel()));
}

void check_layers(const Settings& settings, std::vector<std::string>& problems) {
  const auto& first = settings.first_layers;
  const auto& last = settings.last_layers;
  const auto layers =
      settings.model.layers + (settings.counts_embedding_as_layer ? 1 : 0) + (settings.counts_loss_as_layer ? 1 : 0);
  const auto given = first.value_or(0) + last.value_or(0);
  const int stages = settings.sizes.pipeline - (first ? 1 : 0) - (last ? 1 : 0);
  const auto chunks = static_cast<std::uint64_t>(settings.sizes.chunks);
  if (stages < 0 || given > layers || (stages == 0 && given != layers)) {
    problems.push_back(
        fmt::format("{} layers cannot be split into {} given ones and {} other stages", layers, given, stages));
    return;
  }
  const auto others = static_cast<std::uint64_t>(stages) * chunks;
  if ((stages > 0 && (layers - given) % others != 0) || first.value_or(0) % chunks != 0 ||
      last.value_or(0) % chunks != 0)
    problems.push_back(fmt::format("{} layers do not divide over {} stages and their chunks", layers - given, others));
}

void check_model(const Settings& settings, std::vector<std::string>& problems) {
  const auto& model = settings.model;
  const auto divides = [&](int by, std::uint64_t value, const char* what, const char* over) {
    if (value % static_cast<std::uint64_t>(by) != 0)
      problems.push_back(fmt::format("{} {} do not divide over {} {}", value, what, by, over));
  };
  divides(settings.sizes.tensor, model.heads, "attention heads", "tensor-parallel ranks");
  divides(settings.sizes.tensor, model.feed_forward, "units of the MLP", "tensor-parallel ranks");
  divides(settings.sizes.context, settings.sequence, "tokens", "context-parallel ranks");
  check_layers(settings, problems);
  if (!model.experts.of_layers.empty() && model.experts.of_layers.size() != model.layers)
    problems.push_back(fmt::format("--moe-layer-freq lists {} layers, but the model has {}",
                                   model.experts.of_layers.size(), model.layers));
  if (model.experts.count > 0)
    divides(settings.sizes.expert, static_cast<std::uint64_t>(model.experts.count), "experts", "expert-parallel ranks");
  else if (settings.sizes.expert > 1)
    problems.emplace_back("expert parallelism needs a model with experts");
  if (settings.sizes.chunks > 1 && settings.sizes.pipeline < 2)
    problems.emplace_back("several chunks of a stage need a pipeline");
}

}  // namespace

int Settings::micro_batches() const {
  return static_cast<int>(global_batch / (micro_batch * static_cast<std::uint64_t>(data_parallel())));
}

std::uint64_t Settings::layers_of_stage(int stage) const {
  if (stage == 0 && first_layers) return *first_layers;
  if (stage + 1 == sizes.pipeline && last_layers) return *last_layers;
  const auto layers = model.layers + (counts_embedding_as_layer ? 1 : 0) + (counts_loss_as_layer ? 1 : 0);
  const auto given = first_layers.value_or(0) + last_layers.value_or(0);
  const int stages = sizes.pipeline - (first_layers ? 1 : 0) - (last_layers ? 1 : 0);
  return (layers - given) / static_cast<std::uint64_t>(stages);
}

void check(const Settings& settings) {
  std::vector<std::string> problems;
  check_ranks(settings, problems);
  check_model(settings, problems);
  if (!problems.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace ringmark::replay::megatron
