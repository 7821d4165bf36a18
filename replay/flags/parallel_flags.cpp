#include "replay/flags/parallel_flags.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "replay/generate/megatron/load_transformer.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/generate/torchtitan/step.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

RoleTrace generate(RoleStep step, ProductType products) {
  if (auto* megatron = std::get_if<megatron::Arguments>(&step))
    megatron->settings.has_float8 |= products == ProductType::float8;
  return std::visit([](const auto& each) { return generate(each.settings); }, step);
}

const std::vector<std::string>& notes_of(const RoleStep& step) {
  return std::visit([](const auto& each) -> const std::vector<std::string>& { return each.notes; }, step);
}

void set_ranks(RoleStep& step, int ranks) {
  if (auto* megatron = std::get_if<megatron::Arguments>(&step)) {
    auto& settings = megatron->settings;
    const auto micro_batches = static_cast<std::uint64_t>(settings.micro_batches());
    settings.ranks = ranks;
    settings.global_batch = settings.micro_batch * static_cast<std::uint64_t>(settings.data_parallel()) * micro_batches;
    return;
  }
  auto& settings = std::get<torchtitan::Arguments>(step).settings;
  const auto accumulation = static_cast<std::uint64_t>(settings.accumulation());
  settings.ranks = ranks;
  settings.sizes.shards = std::max(1, ranks / (unit_of_ranks(step) * settings.sizes.replicas));
  settings.global_batch = settings.batch * static_cast<std::uint64_t>(settings.sizes.replicas) *
                          static_cast<std::uint64_t>(settings.sizes.shards) * accumulation;
}

int unit_of_ranks(const RoleStep& step) {
  if (const auto* megatron = std::get_if<megatron::Arguments>(&step)) {
    const auto& settings = megatron->settings;
    return std::lcm(settings.sizes.model_ranks(),
                    settings.expert_tensor() * settings.sizes.expert * settings.sizes.pipeline);
  }
  const auto& sizes = std::get<torchtitan::Arguments>(step).settings.sizes;
  return sizes.tensor * sizes.pipeline * sizes.context;
}

ModelWork work_of(const RoleStep& step) {
  const auto of = [](const Transformer& model, std::uint64_t sequence) -> ModelWork {
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    const auto elements = megatron::elements_of(model);
    const double looked_up = model.is_tied ? 0 : number(model.vocabulary) * number(model.hidden);
    return {elements.total, training_operations_of_a_token(elements.active - looked_up, number(model.layers),
                                                           number(model.query_width()), number(sequence))};
  };
  return std::visit([&](const auto& each) { return of(each.settings.model, each.settings.sequence); }, step);
}

void ParallelFlags::declare() {
  constexpr int most = 1 << 16;
  flags_.group("Parallelism");
  flags_.file("--megatron-args", arguments_file_,
              "a file with Megatron-LM's arguments, which describe the whole step; the trace has schema steptrace/2");
  flags_.file("--torchtitan-config", torchtitan_file_,
              "a file with torchtitan's configuration (arguments, TOML, or JSON as it saves it), which describes the "
              "whole step");
  const auto first = flags_.own().size();
  flags_.number("--tp,--tensor-model-parallel-size", sizes_.tensor, 1, most,
                "tensor parallelism: ranks that split each layer's matrices");
  flags_.toggle("--sp,--sequence-parallel", sizes_.shards_sequence,
                "sequence parallelism: tensor-parallel ranks also split the tokens outside the matrix products");
  flags_.number("--pp,--pipeline-model-parallel-size", sizes_.pipeline, 1, most, "pipeline stages");
  flags_.number("--vp,--num-virtual-stages-per-pipeline-rank", sizes_.chunks, 1, most,
                "model chunks of each stage, for interleaved 1F1B");
  flags_.number("--cp,--context-parallel-size", sizes_.context, 1, most,
                "context parallelism: ranks that split each sequence");
  flags_.number("--ep,--expert-model-parallel-size", sizes_.expert, 1, most,
                "expert parallelism: ranks that divide up a layer's experts");
  flags_.number("--etp,--expert-tensor-parallel-size", sizes_.expert_tensor, 0, most,
                "ranks that split each expert's matrices; 0: the same as --tp");
  flags_.number("--global-batch,--global-batch-size", global_batch_, 1, std::uint64_t{1} << 40,
                "samples in a step, instead of --grad-accum");
  for (auto i = first; i < flags_.own().size(); ++i) names_.push_back(flags_.own()[i].name);
}

bool ParallelFlags::are_given() const {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& name) { return flags_.is_given(name); });
}

megatron::Arguments ParallelFlags::interpret(const std::string& model, const StepSettings& common) const {
  megatron::Arguments step;
  auto& settings = step.settings;
  auto sizes = sizes_;
  sizes.shards_sequence = sizes.shards_sequence && sizes.tensor > 1;
  settings = megatron::usual_settings(megatron::load_transformer(model, step.notes), sizes, common);
  if (settings.counts_loss_as_layer)
    step.notes.emplace_back("embedding and loss each count as a layer of the pipeline");
  if (const auto last = settings.last_layers)
    step.notes.push_back(fmt::format("the last pipeline stage has {} layers, fewer than the others", *last));
  if (global_batch_) settings.global_batch = *global_batch_;
  if (global_batch_ && flags_.is_given("--grad-accum"))
    flags_.problem("--grad-accum", "follows from --global-batch", "leave one out");
  step.notes.push_back(
      fmt::format("assumes Megatron-core's distributed optimizer{}",
                  settings.overlaps_gradients ? ", whose communication overlaps with computation" : ""));
  return step;
}

torchtitan::Arguments ParallelFlags::interpret_torchtitan(const std::string& model, const StepSettings& common) const {
  torchtitan::Arguments step;
  const torchtitan::Sizes sizes{
      .tensor = sizes_.tensor, .pipeline = sizes_.pipeline, .context = sizes_.context, .expert = sizes_.expert};
  if (flags_.is_given("--etp"))
    flags_.problem("--etp", "torchtitan splits experts only over the ranks of --tp or --ep", "leave it out");
  auto transformer = megatron::load_transformer(model, step.notes);
  step.settings = torchtitan::usual_settings(std::move(transformer), sizes, sizes_.chunks, global_batch_, common);
  if (sizes.pipeline > 1 && step.settings.stages_of_rank() != sizes_.chunks)
    flags_.problem(
        "--vp",
        fmt::format("torchtitan makes fewer stages, since it divides {} layers (with embedding and head) equally",
                    step.settings.model.layers + step.settings.embedding_layers + step.settings.head_layers),
        "give 1, 2, or a number with which all stages have the same number of layers");
  step.notes.emplace_back(
      "assumes torchtitan's defaults: FSDP over all data-parallel ranks, sequence parallelism with --tp, stages in "
      "which embedding and head each count as a layer");
  return step;
}

}  // namespace ringmark::replay
