#include "replay/generate/memory.hpp"

#include <algorithm>
#include <cmath>

namespace ringmark::replay {
namespace {

void add_layers(const Model& model, const Module& module, bool in_layer, bool again, double& all, double& recomputed) {
  in_layer = in_layer || is_layer(module);
  again = again || module.recompute;
  for (const int index : module.parameters) {
    if (!in_layer) continue;
    const auto elements = static_cast<double>(model.parameters[static_cast<std::size_t>(index)].elements());
    all += elements;
    recomputed += again ? elements : 0;
  }
  for (const auto& child : module.children) add_layers(model, child, in_layer, again, all, recomputed);
}

void count_attention(const Module& module, double& all, double& core_recomputed) {
  all += is_attention(module) ? 1 : 0;
  core_recomputed += module.recompute_core ? 1 : 0;
  for (const auto& child : module.children) count_attention(child, all, core_recomputed);
}

/// True if each operator is a kernel of its own, and the bytes of these kernels were counted for this type of model.
bool is_eager(const MemoryShape& model, const StepSettings& settings) {
  return software_of(settings.software.value_or(usual_software)).runs_eagerly && model.eager_kept > 0;
}

double activations_per_sample(const MemoryShape& model, const StepSettings& settings) {
  const auto sequence = static_cast<double>(settings.sequence);
  const double wide = static_cast<double>(size_bytes(settings.type)) / 2;
  const auto kept = kept_bytes(model, settings);
  // While a layer is recomputed, all of its activations exist at once.
  const auto layers_kept = [&](double recomputed) {
    return model.layers * (1 - recomputed) + std::min(1.0, recomputed * model.layers);
  };
  return wide * sequence *
         (kept.layer * model.hidden * layers_kept(model.recomputed) +
          kept.scores * sequence * layers_kept(model.recomputed + model.core_recomputed) +
          kept.input * model.hidden * model.layers * model.recomputed);
}

double logits_per_sample(const MemoryShape& model, const StepSettings& settings) {
  return kept_bytes(model, settings).logit * static_cast<double>(settings.sequence) * model.vocabulary;
}

/// The ZeRO stage that shards the same states.
int stage_like(const StepSettings& settings) {
  switch (settings.framework.kind) {
    case Framework::Kind::pytorch_ddp:
      return 0;
    case Framework::Kind::pytorch_fsdp:
    case Framework::Kind::pytorch_fsdp2:
      return 3;
    case Framework::Kind::megatron:  // which has its own memory_of()
    case Framework::Kind::deepspeed:
      break;
  }
  return settings.zero_stage;
}

bool shards_by_unit(const StepSettings& settings) {
  using Kind = Framework::Kind;
  return settings.framework.kind == Kind::pytorch_fsdp || settings.framework.kind == Kind::pytorch_fsdp2;
}

/// Whether FSDP has all weights at once: between the passes, or because they are one unit.
bool gathers_all(const StepSettings& settings) {
  const auto& sharding = settings.sharding;
  if (sharding.wraps_root_only) return true;
  if (settings.framework.kind == Framework::Kind::pytorch_fsdp) return !sharding.strategy_reshards();
  return sharding.reshard_after_forward == ReshardAfterForward(false);
}

/// Adds the parts of a rank's memory in the order in which they are shown.
class MemoryOfARank {
 public:
  MemoryOfARank(const MemoryShape& model, const StepSettings& settings)
      : model_(model),
        settings_(settings),
        n_(static_cast<double>(shards_by_unit(settings) ? settings.shard_degree() : settings.ranks)),
        e_(static_cast<double>(size_bytes(settings.type))),
        stage_(stage_like(settings)),
        kind_(settings.framework.kind) {}

  std::vector<MemoryPart> parts() {
    if (is_eager(model_, settings_) && kind_ == Kind::pytorch_ddp) {
      add_ddp_states();
    } else if (shards_by_unit(settings_) && e_ < 4) {
      add_fsdp_states();
    } else {
      add_states();
      add_float32_gradients();
    }
    add_buckets();
    if (shards_by_unit(settings_)) {
      add_units();
    } else if (stage_ == 3) {
      add_gathered();
    }
    if (model_.hidden == 0) {
      add("activations (unknown: the description has no dimensions)", 0);
    } else {
      add_samples(model_.recomputed + model_.core_recomputed > 0 ? "activations, recomputed" : "activations",
                  activations_per_sample(model_, settings_));
      add_samples("logits", logits_per_sample(model_, settings_));
    }
    return std::move(memory_);
  }

 private:
  using Kind = Framework::Kind;

  void add(const char* what, double bytes) { memory_.push_back({what, bytes}); }
  void add_samples(const char* what, double bytes_per_sample) {
    memory_.push_back({what, bytes_per_sample * static_cast<double>(settings_.micro_batch), true});
  }
  double share(int from_stage) const { return stage_ >= from_stage ? n_ : 1; }

  /// DeepSpeed's stage 0 in bfloat16 shared the optimizer states in early versions.
  bool shares_early() const {
    return kind_ == Kind::deepspeed && stage_ == 0 && settings_.type == DataType::bfloat16 &&
           settings_.framework.is_before(0, 17, 6);
  }

  /// Share of the optimizer states that stays on the device. DeepSpeed offloads whole groups, the last ones first.
  double kept_on_device() const {
    if (!settings_.offloads_optimizer) return 1;
    const double groups = std::max(1.0, std::ceil(model_.trained / n_ / static_cast<double>(settings_.sub_group)));
    return std::floor((1 - settings_.offloaded_ratio) * groups) / groups;
  }

  /// FSDP's shard is in float32 and is also the optimizer's master copy; gathered weights are in 16 bits.
  void add_fsdp_states() {
    add("weights in float32", 4 * model_.parameters / n_);
    add("optimizer states", 8 * model_.trained / n_);
    add("gradients in float32 at the step", 4 * model_.trained / n_);
  }

  /// PyTorch's own optimizer has no master copy. By the time the backward pass has all gradients it has freed casts,
  /// activations and logits, unless an earlier micro-step left gradients.
  void add_ddp_states() {
    const double casts = e_ < 4 ? e_ * model_.parameters : 0;
    const double samples = activations_per_sample(model_, settings_) + logits_per_sample(model_, settings_);
    const double freed = settings_.micro_steps > 1 ? 0 : casts + samples * static_cast<double>(settings_.micro_batch);
    add("weights in float32", 4 * model_.parameters);
    if (casts > 0) add("weights cast to 16 bits", casts);
    add("optimizer states", 8 * model_.trained);
    add("gradients in float32", std::max(0.0, 4 * model_.trained - freed));
  }

  void add_states() {
    add("weights", e_ * model_.parameters / share(3));
    add("gradients", e_ * model_.trained / share(2));
    const double states =
        settings_.type == DataType::float32 ? 8 : 12;  // mean, variance, and for 16 bits a master copy
    const double kept = kept_on_device();
    if (kept > 0) add("optimizer states", states * model_.trained * kept / (shares_early() ? n_ : share(1)));
  }

  void add_float32_gradients() {
    if (shares_early() || settings_.takes_bf16_optimizer()) return add("gradients in float32", 4 * model_.trained);
    const bool has_none = stage_ == 0 || settings_.type == DataType::float32 || kept_on_device() == 0;
    if (has_none) return;
    const double own = model_.trained / n_;  // DeepSpeed's stage 3 steps through its share in groups
    const bool has_groups = kind_ == Kind::deepspeed && stage_ == 3;
    add("gradients in float32 at the step",
        4 * (has_groups ? std::min(own, static_cast<double>(settings_.sub_group)) : own));
  }

  void add_buckets() {
    if (kind_ == Kind::deepspeed && stage_ > 0 && settings_.keeps_gradients_contiguous()) {
      const auto bucket = static_cast<double>(settings_.reduce_bucket);
      const double buffers = stage_ < 3 && settings_.overlap_comm ? 2 : 1;
      add("reduce buckets", e_ * (buffers * bucket + std::min(bucket, model_.trained)));
    } else if (kind_ == Kind::pytorch_ddp) {
      const bool is_counted = is_eager(model_, settings_);
      const bool has_buckets = !is_counted || settings_.ranks > 1;
      if (has_buckets) add("buckets", (is_counted ? 4 : e_) * model_.trained);
    }
  }

  void add_gathered() {
    // DeepSpeed prefetches within its limit of live parameters.
    add("gathered weights", e_ * std::min(model_.parameters, static_cast<double>(settings_.max_live)));
    if (settings_.secondary_partition > 1)
      add("secondary weights", e_ * model_.parameters / settings_.secondary_partition);
  }

  /// FSDP keeps the root unit, and two layers at a time.
  void add_units() {
    const auto& sharding = settings_.sharding;
    const double in_layers = model_.parameters - model_.outside_layers;
    const double some = model_.outside_layers + 2 * in_layers / std::max(1.0, model_.layers);
    // Without mixed precision, weights that are not sharded need no gathered copy.
    if (n_ > 1 || e_ < 4)
      add("gathered weights", e_ * (gathers_all(settings_) ? model_.parameters : std::min(model_.parameters, some)));
    const auto& reshard = sharding.reshard_after_forward;
    if (const auto* ranks = reshard ? std::get_if<int>(&*reshard) : nullptr)
      add("weights kept by some ranks", e_ * in_layers / *ranks);
    if (!sharding.no_sync || settings_.micro_steps == 1) return;
    const bool is_first = kind_ == Kind::pytorch_fsdp;
    add("gradients of all micro-steps",
        (is_first ? e_ : static_cast<double>(size_bytes(settings_.gradient_type()))) * model_.trained);
  }

  const MemoryShape& model_;
  const StepSettings& settings_;
  double n_, e_;
  int stage_;
  Kind kind_;
  std::vector<MemoryPart> memory_;
};

}  // namespace

MemoryShape shape_of(const Model& model, const StepSettings& settings) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const auto& d = model.dimensions;
  MemoryShape shape{number(model.elements()),
                    number(model.trained_elements()),
                    number(elements_outside_layers(model)),
                    number(d.layers),
                    number(d.hidden),
                    number(d.heads),
                    number(d.vocabulary)};
  auto marked = model;
  mark_recomputed(marked, settings.recompute);
  double all = 0, recomputed = 0;
  add_layers(marked, marked.forward, false, false, all, recomputed);
  shape.recomputed = all > 0 ? recomputed / all : 0;
  double attention = 0, core_recomputed = 0;
  count_attention(marked.forward, attention, core_recomputed);
  shape.core_recomputed = attention > 0 ? core_recomputed / attention : 0;
  if (const auto layer = eager_layer_bytes(model, precision_of(settings))) shape.eager_kept = layer->kept;
  return shape;
}

KeptBytes kept_bytes(const MemoryShape& model, const StepSettings& settings) {
  constexpr double input_bytes = 2, score_bytes = 5;
  const auto& software = software_of(settings.software.value_or(usual_software));
  KeptBytes kept{.layer = software.activation_bytes,
                 .input = input_bytes,
                 .scores = software.fuses_attention ? 0 : score_bytes * model.heads,
                 .logit = software_of(settings.software.value_or(Software::Kind::unfused)).logit_bytes};
  if (is_eager(model, settings)) {
    const double wide = static_cast<double>(size_bytes(settings.type)) / 2;
    kept.layer = model.eager_kept / wide / model.hidden;
    kept.input = eager_layer_input_bytes(precision_of(settings)) / wide;
  }
  return kept;
}

std::vector<MemoryPart> memory_of(const MemoryShape& model, const StepSettings& settings) {
  return MemoryOfARank(model, settings).parts();
}

std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings) {
  return memory_of(shape_of(model, settings), settings);
}

}  // namespace ringmark::replay
