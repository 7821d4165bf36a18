#include "replay/generate/torchtitan/settings.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay::torchtitan {
namespace {

/// Limits on a step's micro-batches, and on its micro-batches times layers.
constexpr std::uint64_t most_micro_batches = 100'000, most_passed_layers = 4'000'000;

/// Collects the problems of the settings.
class Check {
 public:
  explicit Check(const Settings& settings) : settings_(settings), sizes_(settings.sizes) {}

  std::vector<std::string> run() {
    // Each check relies on the ones before it.
    ranks();
    if (problems_.empty()) batch();
    if (problems_.empty()) model();
    if (problems_.empty() && sizes_.pipeline > 1) pipeline();
    return problems_;
  }

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  void divides(std::uint64_t by, std::uint64_t value, const char* what, const char* over) {
    if (by == 0 || value == 0 || value % by != 0)
      problem("{} {} do not divide evenly over {} {}", value, what, by, over);
  }

  void ranks() {
    std::uint64_t product = 1;
    for (const int size : {sizes_.replicas, sizes_.shards, sizes_.tensor, sizes_.pipeline, sizes_.context})
      product = std::min(product * number(size), std::uint64_t{most_ranks} + 1);
    if (product != number(settings_.ranks))
      problem(
          "data_parallel_replicate_degree {} × data_parallel_shard_degree {} × tensor {} × pipeline {} × context {} "
          "must equal the {} ranks",
          sizes_.replicas, sizes_.shards, sizes_.tensor, sizes_.pipeline, sizes_.context, settings_.ranks);
    divides(number(sizes_.expert), number(sizes_.shards) * number(sizes_.tensor) * number(sizes_.context),
            "ranks of a stage's copy", "expert-parallel ranks");
  }

  void batch() {
    const auto samples = settings_.batch * number(sizes_.replicas) * number(sizes_.shards);
    divides(samples, settings_.global_batch, "samples of the global batch", "samples of an accumulation step");
    if (sizes_.pipeline > 1)
      divides(settings_.pipeline_batch, settings_.batch, "samples of the local batch", "samples of a micro-batch");
    if (!problems_.empty()) return;
    const auto each = sizes_.pipeline > 1 ? settings_.batch / settings_.pipeline_batch : 1;
    const auto accumulation = settings_.global_batch / samples;
    if (each > most_micro_batches || accumulation > most_micro_batches || each * accumulation > most_micro_batches) {
      problem("a global batch of {} has more than {} micro-batches", settings_.global_batch, most_micro_batches);
    } else if (settings_.model.layers > most_passed_layers / (each * accumulation)) {
      problem("{} layers are too many for {} micro-batches", settings_.model.layers, each * accumulation);
    }
  }

  void model() {
    const auto& model = settings_.model;
    const auto tensor = number(sizes_.tensor);
    if (model.is_tied) problem("a model whose embedding and head share a matrix is not modelled for torchtitan");
    if (model.has_biases || model.has_norm_biases || model.has_query_biases || model.positions > 0 || !model.is_gated)
      problem("torchtitan's layers are Llama's and DeepSeek's: gated, with RMSNorm and without biases");
    divides(tensor, model.heads, "attention heads", "tensor-parallel ranks");
    divides(tensor, model.key_heads, "key heads", "tensor-parallel ranks");
    divides(tensor, model.feed_forward, "units of the MLP", "tensor-parallel ranks");
    divides(tensor, model.vocabulary, "entries of the vocabulary", "tensor-parallel ranks");
    const auto context = number(sizes_.context) * (sizes_.context > 1 ? 2 : 1);
    divides((settings_.has_sequence() ? tensor : 1) * context, settings_.sequence, "tokens",
            "parts for tensor and context parallelism");
    if (sizes_.tensor > 1 && !sizes_.shards_sequence && settings_.backend == Backend::partial_dtensor)
      problem("tensor parallelism without sequence parallelism is not modelled for partial_dtensor");
    if (settings_.sequence / number(sizes_.context) % settings_.loss_chunks != 0)
      problem("a rank's {} tokens of a sequence do not divide evenly over {} chunks of the loss",
              settings_.sequence / number(sizes_.context), settings_.loss_chunks);
    if (model.experts.count > 0) {
      divides(number(sizes_.expert), number(model.experts.count), "experts", "expert-parallel ranks");
      if (model.experts.of_token > model.experts.count)
        problem("{} experts per token exceed the {} experts of a layer", model.experts.of_token, model.experts.count);
    } else if (sizes_.expert > 1) {
      problem("expert parallelism needs a model with experts");
    }
  }

  void pipeline() {
    const auto layers = settings_.model.layers + settings_.embedding_layers + settings_.head_layers;
    if (settings_.layers_per_stage) {
      const auto stages = (layers + *settings_.layers_per_stage - 1) / *settings_.layers_per_stage;
      divides(number(sizes_.pipeline), stages, "stages by pipeline_parallel_layers_per_stage", "pipeline ranks");
      if (!problems_.empty()) return;
      const bool is_one = stages == number(sizes_.pipeline);
      if (is_one != has_one_stage(settings_.schedule))
        problem("the schedule has {} on each rank, but pipeline_parallel_layers_per_stage gives {}",
                has_one_stage(settings_.schedule) ? "one stage" : "several stages", stages / number(sizes_.pipeline));
    }
    const auto stages = number(settings_.stages());
    if (stages > layers)
      return problem("{} stages are more than the {} layers, counted with embedding and head", stages, layers);
    for (const auto weight : {settings_.embedding_layers, settings_.head_layers}) {
      if (weight > layers / stages)
        problem("an embedding or head that counts as {} layers does not fit into a stage of {}", weight,
                layers / stages);
    }
    if (is_v_shaped(settings_.schedule) && settings_.stages_of_rank() != 2)
      problem("the schedule needs two stages on each rank, not {}", settings_.stages_of_rank());
    const auto micro_batches = settings_.micro_batches();
    const bool needs_stages =
        settings_.schedule == Schedule::one_f_one_b || settings_.schedule == Schedule::dual_pipe_v;
    if (needs_stages && micro_batches < settings_.stages())
      problem("{} micro-batches are too few for the schedule's {} stages", micro_batches, settings_.stages());
    const bool has_rounds =
        settings_.schedule == Schedule::interleaved || settings_.schedule == Schedule::interleaved_zero_bubble;
    if (const int rounds = std::max(1, micro_batches / sizes_.pipeline); has_rounds && micro_batches % rounds != 0)
      problem("{} micro-batches are not a multiple of the schedule's {} rounds", micro_batches, rounds);
  }

  const Settings& settings_;
  const Sizes& sizes_;
  std::vector<std::string> problems_;
};

}  // namespace

bool has_one_stage(Schedule schedule) { return schedule == Schedule::one_f_one_b || schedule == Schedule::gpipe; }

bool is_v_shaped(Schedule schedule) {
  return schedule == Schedule::zbv_zero_bubble || schedule == Schedule::dual_pipe_v;
}

int Settings::stages_of_rank() const {
  if (sizes.pipeline < 2) return 1;
  if (!layers_per_stage) return has_one_stage(schedule) ? 1 : 2;
  const auto layers = model.layers + embedding_layers + head_layers;
  const auto stages = (layers + *layers_per_stage - 1) / *layers_per_stage;
  return static_cast<int>(stages / number(sizes.pipeline));
}

int Settings::micro_batches() const { return sizes.pipeline > 1 ? static_cast<int>(batch / pipeline_batch) : 1; }

int Settings::accumulation() const {
  return static_cast<int>(global_batch / (batch * number(sizes.replicas) * number(sizes.shards)));
}

int Settings::weight_shards(bool of_experts) const {
  const int all = sizes.shards * sizes.context;
  return of_experts && sizes.expert > 1 ? all * sizes.tensor / sizes.expert : all;
}

Settings usual_settings(Transformer model, Sizes sizes, int chunks, std::optional<std::uint64_t> global_batch,
                        const StepSettings& common) {
  Settings settings;
  settings.model = std::move(model);
  const auto model_ranks = static_cast<std::int64_t>(sizes.tensor) * sizes.pipeline * sizes.context;
  sizes.shards = static_cast<int>(std::max<std::int64_t>(1, common.ranks / model_ranks));
  settings.sizes = sizes;
  settings.ranks = common.ranks;
  settings.sequence = common.sequence;
  settings.type = common.type;
  settings.recomputes = common.recompute.kind == Recompute::Kind::full;
  settings.recomputes_some = common.recompute.kind == Recompute::Kind::selective;
  settings.schedule = chunks > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
  const auto copies = number(sizes.shards);
  settings.global_batch = global_batch.value_or(common.micro_batch * copies * number(common.micro_steps));
  settings.batch = settings.pipeline_batch = common.micro_batch;
  if (sizes.pipeline < 2) return settings;
  // All micro-batches of a step go through the pipeline in one accumulation step.
  settings.batch = std::max(common.micro_batch, settings.global_batch / copies);
  const auto stages = number(sizes.pipeline) * number(chunks);
  const auto layers = settings.model.layers + settings.embedding_layers + settings.head_layers;
  if (chunks > 2) settings.layers_per_stage = (layers + stages - 1) / stages;
  return settings;
}

void check(const Settings& settings) {
  const auto problems = Check(settings).run();
  if (!problems.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace ringmark::replay::torchtitan
