// DeepSpeed's engine without ZeRO, and the bfloat16 optimizer that replaces it in some versions.

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

class Stage0 final : public StepHooks {
 public:
  Stage0(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model), settings_(settings), builder_(builder) {}

  void end_micro_step(int micro_step) override {
    if (micro_step + 1 < settings_.micro_steps) return;
    std::uint64_t bucket = 0;
    for (const auto elements : tensors()) {
      bucket += elements;
      if (bucket > bucket_elements) flush(bucket);
    }
    if (bucket > 0) flush(bucket);
  }

  void optimizer_step() override {
    const bool clips = settings_.clips_gradients.value_or(!settings_.framework.is_before(0, 19, 3));
    if (settings_.type == DataType::float32 && clips)
      builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    add_adam(builder_, static_cast<double>(model_.trained_elements()) / (shares_states() ? settings_.ranks : 1), clips);
    if (!shares_states() || settings_.ranks == 1) return;
    for (const auto elements : tensors()) {
      builder_.collective(
          {.collective = Collective::all_gather, .elements = elements, .type = settings_.type, .tag = "weights"});
    }
  }

  bool remembers() const override { return false; }

 private:
  /// The engine's own limit; reduce_bucket_size does not change it.
  static constexpr std::uint64_t bucket_elements = 500'000'000;

  /// With bfloat16, these versions (and stage 1 if it uses this optimizer) shard the optimizer's states, keep a group's
  /// gradients in one padded tensor, and gather the weights.
  bool shares_states() const {
    return settings_.type == DataType::bfloat16 &&
           (settings_.takes_bf16_optimizer() || settings_.framework.is_before(0, 17, 6));
  }

  std::vector<std::uint64_t> tensors() const {
    std::vector<std::uint64_t> sizes;
    if (!shares_states()) {
      for (const auto& parameter : model_.parameters) {
        if (parameter.requires_grad) sizes.push_back(parameter.elements());
      }
      return sizes;
    }
    for (const auto& group : parameter_groups(model_, settings_)) {
      std::uint64_t elements = 0;
      for (const int index : group) elements += model_.parameters[static_cast<std::size_t>(index)].elements();
      sizes.push_back(round_up(elements, 2 * static_cast<std::uint64_t>(settings_.ranks)));
    }
    return sizes;
  }

  void flush(std::uint64_t& bucket) {
    const auto type = settings_.gradient_type();
    const auto bytes = static_cast<double>(bucket * size_bytes(type));
    builder_.copy(0, 3 * bytes, "flatten, divide");
    builder_.collective({.elements = bucket, .type = type, .tag = "bucket"});
    builder_.copy(0, 2 * bytes, "unflatten");
    bucket = 0;
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
};

}  // namespace

std::unique_ptr<StepHooks> make_stage0(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Stage0>(model, settings, builder);
}

}  // namespace ringmark::replay
