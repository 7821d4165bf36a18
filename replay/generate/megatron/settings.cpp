#include "replay/generate/megatron/settings.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay::megatron {
namespace {

constexpr std::uint64_t most_micro_batches = 100'000, most_layers = 100'000;

/// No more than ranks can be, so that it is neither 0 nor negative.
int product_of(std::initializer_list<int> sizes) {
  std::uint64_t product = 1;
  for (const int size : sizes)
    product = std::min(product * static_cast<std::uint64_t>(size), std::uint64_t{most_ranks} + 1);
  return static_cast<int>(product);
}

void check_ranks(const Settings& settings, std::vector<std::string>& problems) {
  const auto& sizes = settings.sizes;
  if (settings.ranks % sizes.model_ranks() != 0) {
    problems.push_back(fmt::format("{} ranks are not a multiple of tensor {} × context {} × pipeline {}",
                                   settings.ranks, sizes.tensor, sizes.context, sizes.pipeline));
    return;
  }
  const int etp = settings.expert_tensor();
  if (settings.ranks % product_of({etp, sizes.expert, sizes.pipeline}) != 0) {
    problems.push_back(fmt::format("{} ranks are not a multiple of expert tensor {} × expert {} × pipeline {}",
                                   settings.ranks, etp, sizes.expert, sizes.pipeline));
    return;
  }
  if (settings.has_data_last && sizes.pipeline > 1 &&
      product_of({etp, sizes.expert}) != product_of({sizes.tensor, sizes.context}))
    problems.push_back(
        fmt::format("with data-parallel ranks last, expert tensor {} × expert {} must be tensor {} × "
                    "context {}, so that stages are the same ranks",
                    etp, sizes.expert, sizes.tensor, sizes.context));
  for (const int copies : {settings.data_parallel(), settings.expert_data_parallel()}) {
    if (copies % settings.optimizer_instances != 0)
      problems.push_back(fmt::format("{} data-parallel ranks are not a multiple of {} optimizer instances", copies,
                                     settings.optimizer_instances));
  }
  const auto samples = settings.micro_batch * static_cast<std::uint64_t>(settings.data_parallel());
  if (settings.global_batch == 0 || settings.global_batch % samples != 0) {
    problems.push_back(fmt::format("a global batch of {} is not a multiple of micro-batch {} × {} data-parallel ranks",
                                   settings.global_batch, settings.micro_batch, settings.data_parallel()));
  } else if (settings.global_batch / samples > most_micro_batches) {
    problems.push_back(fmt::format("a global batch of {} has {} micro-batches; at most {} are generated",
                                   settings.global_batch, settings.global_batch / samples, most_micro_batches));
  }
}

void check_model(const Settings& settings, std::vector<std::string>& problems) {
  const auto& model = settings.model;
  const auto divides = [&](int by, std::uint64_t value, const char* what, const char* over) {
    if (value == 0 || value % static_cast<std::uint64_t>(by) != 0)
      problems.push_back(fmt::format("{} {} do not divide evenly over {} {}", value, what, by, over));
  };
  divides(settings.sizes.tensor, model.heads, "attention heads", "tensor-parallel ranks");
  divides(settings.sizes.tensor, model.feed_forward, "units of the MLP", "tensor-parallel ranks");
  divides(settings.sizes.context, settings.sequence, "tokens", "context-parallel ranks");
  const auto layers =
      model.layers + (settings.counts_embedding_as_layer ? 1 : 0) + (settings.counts_loss_as_layer ? 1 : 0);
  const int chunks = product_of({settings.sizes.pipeline, settings.sizes.chunks});
  if (layers > most_layers) {
    problems.push_back(fmt::format("{} layers are more than {}", layers, most_layers));
  } else if (layers < static_cast<std::uint64_t>(chunks)) {
    problems.push_back(fmt::format("{} layers are fewer than {} stages and their chunks", layers, chunks));
  } else if (!settings.allows_uneven_chunks) {
    divides(chunks, layers, "layers", "stages and their chunks");
  }
  if (settings.sizes.shards_sequence)
    divides(settings.sizes.tensor, settings.sequence, "tokens", "tensor-parallel ranks");
  if (model.experts.count > 0) {
    divides(settings.sizes.expert, static_cast<std::uint64_t>(model.experts.count), "experts", "expert-parallel ranks");
    divides(settings.expert_tensor(), model.experts.feed_forward, "units of an expert", "expert-tensor-parallel ranks");
    if (model.experts.of_token > model.experts.count)
      problems.push_back(
          fmt::format("{} experts of a token are more than {} experts", model.experts.of_token, model.experts.count));
    if (settings.pads_experts && settings.capacity <= 0)
      problems.emplace_back("experts that are padded to their capacity need a capacity factor");
  } else if (settings.sizes.expert > 1) {
    problems.emplace_back("expert parallelism needs a model with experts");
  }
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

int Sizes::model_ranks() const { return product_of({tensor, context, pipeline}); }

int Settings::expert_data_parallel() const {
  return std::max(1, ranks / product_of({expert_tensor(), sizes.expert, sizes.pipeline}));
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
