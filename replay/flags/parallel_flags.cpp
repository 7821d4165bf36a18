#include "replay/flags/parallel_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/generate/megatron/load_transformer.hpp"

namespace ringmark::replay {

void ParallelFlags::declare() {
  constexpr int most = 1 << 16;
  flags_.group("Parallelism");
  flags_.file("--megatron-args", arguments_file_,
              "a file with Megatron-LM's arguments, which say the whole step: schema steptrace/2");
  const auto first = flags_.own().size();
  flags_.number("--tp,--tensor-model-parallel-size", sizes_.tensor, 1, most,
                "tensor parallelism: ranks that share each layer's matrices");
  flags_.toggle("--sp,--sequence-parallel", sizes_.shards_sequence,
                "sequence parallelism: tensor-parallel ranks also share the tokens between the matrices");
  flags_.number("--pp,--pipeline-model-parallel-size", sizes_.pipeline, 1, most, "pipeline stages");
  flags_.number("--vp,--num-virtual-stages-per-pipeline-rank", sizes_.chunks, 1, most,
                "model chunks of each stage, for interleaved 1F1B");
  flags_.number("--cp,--context-parallel-size", sizes_.context, 1, most,
                "context parallelism: ranks that share each sequence");
  flags_.number("--ep,--expert-model-parallel-size", sizes_.expert, 1, most,
                "expert parallelism: ranks that share a layer's experts");
  flags_.number("--etp,--expert-tensor-parallel-size", sizes_.expert_tensor, 0, most,
                "ranks that share each expert's matrices; 0: as many as --tp");
  flags_.number("--global-batch,--global-batch-size", global_batch_, 1, std::uint64_t{1} << 40,
                "samples of a step, instead of --grad-accum");
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
  settings = megatron::usual_settings(megatron::load_transformer(model, step.notes), sizes);
  if (settings.counts_loss_as_layer) step.notes.emplace_back("embedding and loss count as layers of the pipeline");
  if (const auto last = settings.last_layers)
    step.notes.push_back(fmt::format("the last pipeline stage has {} layers, fewer than the others", *last));
  settings.ranks = common.ranks;
  settings.micro_batch = common.micro_batch;
  settings.sequence = common.sequence;
  settings.type = common.type;
  settings.recompute = common.recompute;
  settings.recomputes_uniformly = common.recompute.first_layers == 0;
  settings.global_batch =
      global_batch_.value_or(common.micro_batch * static_cast<std::uint64_t>(settings.data_parallel()) *
                             static_cast<std::uint64_t>(common.micro_steps));
  if (global_batch_ && flags_.is_given("--grad-accum"))
    flags_.problem("--grad-accum", "follows from --global-batch", "leave one out");
  step.notes.emplace_back(
      "assumes Megatron-core's distributed optimizer, whose communication overlaps with computation");
  return step;
}

}  // namespace ringmark::replay
