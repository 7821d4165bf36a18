#include "replay/generate/megatron/settings.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/generate/frameworks.hpp"

namespace ringmark::replay::megatron {
namespace {

constexpr std::uint64_t most_micro_batches = 100'000, most_layers = 100'000;

/// The product, capped at one more than the limit of ranks, so that it never overflows to 0 or a negative number.
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
        fmt::format("with data-parallel ranks last, expert tensor {} × expert {} must equal tensor {} × "
                    "context {}, so that stages consist of the same ranks",
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

void check_layers(const Settings& settings, std::vector<std::string>& problems) {
  const auto& first = settings.first_layers;
  const auto& last = settings.last_layers;
  const auto layers = settings.counted_layers();
  const auto all = product_of({settings.sizes.pipeline, settings.sizes.chunks});
  if (layers > most_layers || layers < static_cast<std::uint64_t>(all)) {
    problems.push_back(layers > most_layers
                           ? fmt::format("{} layers are more than the limit of {}", layers, most_layers)
                           : fmt::format("{} layers are fewer than the {} model chunks of all stages", layers, all));
    return;
  }
  if (settings.allows_uneven_chunks) return;
  const auto given = first.value_or(0) + last.value_or(0);
  const int stages = settings.sizes.pipeline - (first ? 1 : 0) - (last ? 1 : 0);
  const auto chunks = static_cast<std::uint64_t>(settings.sizes.chunks);
  if (stages < 0 || given > layers || (stages == 0 && given != layers)) {
    problems.push_back(
        fmt::format("{} layers cannot be split into the {} given for first and last stage and {} other stages", layers,
                    given, stages));
    return;
  }
  const auto others = static_cast<std::uint64_t>(stages) * chunks;
  if ((stages > 0 && (layers - given) % others != 0) || first.value_or(0) % chunks != 0 ||
      last.value_or(0) % chunks != 0)
    problems.push_back(fmt::format(
        "{} layers do not divide evenly over {} model chunks, or those given for first and last stage do not "
        "over theirs",
        layers - given, others));
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
  check_layers(settings, problems);
  if (!model.experts.of_layers.empty() && model.experts.of_layers.size() != model.layers)
    problems.push_back(fmt::format("--moe-layer-freq lists {} layers, but the model has {}",
                                   model.experts.of_layers.size(), model.layers));
  if (settings.sizes.shards_sequence)
    divides(settings.sizes.tensor, settings.sequence, "tokens", "tensor-parallel ranks");
  if (model.experts.count > 0) {
    divides(settings.sizes.expert, static_cast<std::uint64_t>(model.experts.count), "experts", "expert-parallel ranks");
    divides(settings.expert_tensor(), model.experts.feed_forward, "units of an expert", "expert-tensor-parallel ranks");
    if (model.experts.of_token > model.experts.count)
      problems.push_back(fmt::format("{} experts per token exceed the {} experts of a layer", model.experts.of_token,
                                     model.experts.count));
    if (settings.pads_experts && settings.capacity <= 0)
      problems.emplace_back("experts that are padded to their capacity need a capacity factor");
  } else if (settings.sizes.expert > 1) {
    problems.emplace_back("expert parallelism needs a model with experts");
  }
  if (settings.sizes.chunks > 1 && settings.sizes.pipeline < 2)
    problems.emplace_back("several chunks per stage need a pipeline of at least two stages");
}

}  // namespace

int Sizes::model_ranks() const { return product_of({tensor, context, pipeline}); }

int Settings::expert_data_parallel() const {
  return std::max(1, ranks / product_of({expert_tensor(), sizes.expert, sizes.pipeline}));
}

int Settings::optimizer_shards(bool of_experts) const {
  if (!shards_optimizer) return 1;
  return (of_experts ? expert_data_parallel() : data_parallel() * sizes.context) / optimizer_instances;
}

bool Settings::is_recomputed(std::uint64_t layer) const {
  return recompute.kind == Recompute::Kind::full &&
         (recomputes_uniformly || recompute.first_layers == 0 || layer < recompute.first_layers);
}

std::uint64_t Settings::recomputed_together() const {
  const bool in_groups = recompute.kind == Recompute::Kind::full && recomputes_uniformly;
  return in_groups ? static_cast<std::uint64_t>(recompute_group) : 1;
}

std::uint64_t Settings::counted_layers() const {
  return model.layers + (counts_embedding_as_layer ? 1 : 0) + (counts_loss_as_layer ? 1 : 0);
}

int Settings::micro_batches() const {
  return static_cast<int>(global_batch / (micro_batch * static_cast<std::uint64_t>(data_parallel())));
}

std::uint64_t Settings::layers_of_stage(int stage) const {
  if (stage == 0 && first_layers) return *first_layers;
  if (stage + 1 == sizes.pipeline && last_layers) return *last_layers;
  const auto layers = counted_layers();
  const auto given = first_layers.value_or(0) + last_layers.value_or(0);
  const int stages = sizes.pipeline - (first_layers ? 1 : 0) - (last_layers ? 1 : 0);
  return (layers - given) / static_cast<std::uint64_t>(stages);
}

std::uint64_t padded_vocabulary(std::uint64_t words, const Sizes& sizes, std::uint64_t unit) {
  return round_up(words, unit * static_cast<std::uint64_t>(sizes.tensor));
}

void split_layers(Settings& settings) {
  settings.counts_embedding_as_layer = settings.counts_loss_as_layer = false;
  settings.first_layers.reset();
  settings.last_layers.reset();
  const auto layers = settings.model.layers, chunks = static_cast<std::uint64_t>(settings.sizes.chunks);
  const auto all = static_cast<std::uint64_t>(settings.sizes.pipeline) * chunks;
  constexpr std::uint64_t embedding_and_loss = 2;
  if (layers % all == 0 || layers < all) return;
  if ((layers + embedding_and_loss) % all == 0 && layers + embedding_and_loss > all) {
    settings.counts_embedding_as_layer = settings.counts_loss_as_layer = true;
    return;
  }
  const auto of_others = round_up(layers, all) / all * (all - chunks);
  if (of_others < layers && (layers - of_others) % chunks == 0) settings.last_layers = layers - of_others;
}

Settings usual_settings(Transformer model, const Sizes& sizes) {
  Settings settings;
  settings.model = std::move(model);
  settings.model.vocabulary = padded_vocabulary(settings.model.vocabulary, sizes);
  settings.sizes = sizes;
  settings.shards_optimizer = settings.overlaps_gradients = settings.overlaps_parameters = true;
  settings.dispatcher = Dispatcher::all_to_all;
  split_layers(settings);
  return settings;
}

Settings usual_settings(Transformer model, const Sizes& sizes, const StepSettings& common) {
  auto settings = usual_settings(std::move(model), sizes);
  settings.ranks = common.ranks;
  settings.micro_batch = common.micro_batch;
  settings.global_batch = common.micro_batch * static_cast<std::uint64_t>(settings.data_parallel()) *
                          static_cast<std::uint64_t>(common.micro_steps);
  settings.sequence = common.sequence;
  settings.type = common.type;
  // Megatron's training sets accumulate_allreduce_grads_in_fp32 whenever it trains in bfloat16.
  settings.gradient_type =
      common.reduce_type.value_or(common.type == DataType::bfloat16 ? DataType::float32 : common.type);
  settings.recompute = common.recompute;
  settings.recomputes_uniformly = common.recompute.first_layers == 0;
  settings.clips_gradients = common.clips_gradients.value_or(true);
  settings.overlaps_gradients = settings.overlaps_parameters = common.overlap.value_or(Overlap::ideal) != Overlap::none;
  return settings;
}

std::vector<std::string> problems_of(const Settings& settings) {
  std::vector<std::string> problems;
  check_ranks(settings, problems);
  check_model(settings, problems);
  return problems;
}

void check(const Settings& settings) {
  const auto problems = problems_of(settings);
  if (!problems.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace ringmark::replay::megatron
