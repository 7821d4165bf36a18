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

void check_model(const Settings& settings, std::vector<std::string>& problems) {
  const auto& model = settings.model;
  const auto divides = [&](int by, std::uint64_t value, const char* what, const char* over) {
    if (value % static_cast<std::uint64_t>(by) != 0)
      problems.push_back(fmt::format("{} {} do not divide over {} {}", value, what, by, over));
  };
  divides(settings.sizes.tensor, model.heads, "attention heads", "tensor-parallel ranks");
  divides(settings.sizes.tensor, model.feed_forward, "units of the MLP", "tensor-parallel ranks");
  divides(settings.sizes.context, settings.sequence, "tokens", "context-parallel ranks");
  const auto layers =
      model.layers + (settings.counts_embedding_as_layer ? 1 : 0) + (settings.counts_loss_as_layer ? 1 : 0);
  if (!settings.allows_uneven_chunks)
    divides(settings.sizes.pipeline * settings.sizes.chunks, layers, "layers", "stages and their chunks");
  if (model.experts.count > 0)
    divides(settings.sizes.expert, static_cast<std::uint64_t>(model.experts.count), "experts", "expert-parallel ranks");
  else if (settings.sizes.expert > 1)
    problems.emplace_back("expert parallelism needs a model with experts");
  if (settings.sizes.chunks > 1 && settings.sizes.pipeline < 2)
    problems.emplace_back("several chunks of a stage need a pipeline");
}

}  // namespace

std::uint64_t Transformer::query_width() const {
  return heads * (latent.key_rank > 0 ? latent.plain_width + latent.rotary_width : head_width);
}
std::uint64_t Transformer::key_width() const { return latent.key_rank > 0 ? query_width() : key_heads * head_width; }
std::uint64_t Transformer::value_width() const {
  return latent.key_rank > 0 ? heads * latent.value_width : key_heads * head_width;
}
std::uint64_t Transformer::result_width() const {
  return heads * (latent.key_rank > 0 ? latent.value_width : head_width);
}

int Settings::micro_batches() const {
  return static_cast<int>(global_batch / (micro_batch * static_cast<std::uint64_t>(data_parallel())));
}

void check(const Settings& settings) {
  std::vector<std::string> problems;
  check_ranks(settings, problems);
  check_model(settings, problems);
  if (!problems.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace ringmark::replay::megatron
