#include "replay/generate/memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

bool recomputes(const Model& model, const StepSettings& settings) {
  return settings.recompute || replay::recomputes(model.forward);
}

double activations_per_sample(const Model& model, const StepSettings& settings) {
  const auto& d = model.dimensions;
  const double widths = static_cast<double>(settings.sequence) * static_cast<double>(d.hidden);
  const auto layers = static_cast<double>(d.layers);
  const double wide = static_cast<double>(size_bytes(settings.type)) / 2;
  return wide * widths *
         (recomputes(model, settings) ? layer_input_bytes * layers + activation_bytes : activation_bytes * layers);
}

double logits_per_sample(const Model& model, const StepSettings& settings) {
  return logit_bytes * static_cast<double>(settings.sequence) * static_cast<double>(model.dimensions.vocabulary);
}

/// The ZeRO stage that shards the same states.
int stage_like(const StepSettings& settings) {
  switch (settings.framework.kind) {
    case Framework::Kind::pytorch_ddp:
      return 0;
    case Framework::Kind::megatron:
      return 1;
    case Framework::Kind::pytorch_fsdp:
      return 3;
    case Framework::Kind::deepspeed:
      break;
  }
  return settings.zero_stage;
}

}  // namespace

std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings) {
  const auto p = static_cast<double>(model.elements()), trained = static_cast<double>(model.trained_elements());
  const auto n = static_cast<double>(settings.ranks);
  const auto e = static_cast<double>(size_bytes(settings.type));
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  const int stage = stage_like(settings);
  const double states = settings.type == DataType::float32 ? 8 : 12;  // mean, variance, and in 16 bits a master copy
  const bool shares_early = kind == Kind::deepspeed && stage == 0 && settings.type == DataType::bfloat16 &&
                            settings.framework.is_before(0, 17, 6);
  const auto share = [&](int from_stage) { return stage >= from_stage ? n : 1; };
  std::vector<MemoryPart> memory;
  const auto add = [&](const char* what, double bytes) { memory.push_back({what, bytes}); };
  const auto add_samples = [&](const char* what, double bytes_per_sample) {
    memory.push_back({what, bytes_per_sample * static_cast<double>(settings.micro_batch), true});
  };
  add("weights", e * p / share(3));
  const bool is_megatron = kind == Kind::megatron;
  // Megatron keeps gradients in the type in which it reduces them.
  const auto gradient_bytes = static_cast<double>(size_bytes(is_megatron ? settings.gradient_type() : settings.type));
  add("gradients", gradient_bytes * trained / share(2));
  if (!settings.offloads_optimizer) add("optimizer states", states * trained / (shares_early ? n : share(1)));
  if (shares_early || settings.takes_bf16_optimizer()) {
    add("gradients in float32", 4 * trained);
  } else if (stage > 0 && settings.type != DataType::float32 && !is_megatron && !settings.offloads_optimizer) {
    const auto own = trained / n;  // DeepSpeed's stage 3 steps through its share in groups
    const bool has_groups = kind == Kind::deepspeed && stage == 3;
    add("gradients in float32 at the step",
        4 * (has_groups ? std::min(own, static_cast<double>(settings.sub_group)) : own));
  }
  if (kind == Kind::deepspeed && stage > 0 && settings.keeps_gradients_contiguous()) {
    const auto bucket = static_cast<double>(settings.reduce_bucket);
    const double buffers = stage < 3 && settings.overlap_comm ? 2 : 1;
    add("reduce buckets", e * (buffers * bucket + std::min(bucket, trained)));
  } else if (kind == Kind::pytorch_ddp) {
    add("buckets", e * trained);
  }
  if (stage == 3) {
    const auto live = static_cast<double>(settings.max_live) + static_cast<double>(settings.prefetch_bucket);
    // FSDP keeps the root unit, and two layers at a time.
    const auto root = static_cast<double>(elements_outside_layers(model));
    const double layer = (p - root) / std::max<double>(1, static_cast<double>(model.dimensions.layers));
    add("gathered weights", e * std::min(p, kind == Kind::deepspeed ? live : root + 2 * layer));
    if (settings.secondary_partition > 1) add("secondary weights", e * p / settings.secondary_partition);
  }
  if (model.dimensions.hidden == 0) {
    add("activations (unknown: the description has no dimensions)", 0);
  } else {
    add_samples(recomputes(model, settings) ? "activations, recomputed" : "activations",
                activations_per_sample(model, settings));
    add_samples("logits", logits_per_sample(model, settings));
  }
  return memory;
}

std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes) {
  double growing = 0;
  for (const auto& part : memory) growing += part.grows ? part.bytes : 0;
  if (growing <= 0 || micro_batch == 0) return std::nullopt;
  const double room = device_bytes * usable_share - (total_bytes(memory) - growing);
  constexpr double most = 1e15;
  return static_cast<std::uint64_t>(std::clamp(room * static_cast<double>(micro_batch) / growing, 0.0, most));
}

bool fits(const std::vector<MemoryPart>& memory, double device_bytes) {
  return total_bytes(memory) <= device_bytes * usable_share;
}

std::string describe(const std::vector<MemoryPart>& memory, double device_bytes) {
  auto text =
      fmt::format("{}: {} of the {} that a rank can use\n", fits(memory, device_bytes) ? "fits" : "out of memory",
                  readable_bytes(total_bytes(memory)), readable_bytes(device_bytes * usable_share));
  for (const auto& [what, bytes, grows] : memory) text += fmt::format("  {:>10}  {}\n", readable_bytes(bytes), what);
  return text;
}

}  // namespace ringmark::replay
