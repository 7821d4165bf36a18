// Megatron-LM's distributed optimizer: core/distributed and core/optimizer.

#include <algorithm>
#include <numeric>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

/// One buffer holds the gradients in reverse order of registration, cut into buckets. Each bucket is reduce-scattered
/// in the last micro-step, and its weights are gathered after the optimizer.
class Megatron final : public StepHooks {
 public:
  Megatron(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model),
        settings_(settings),
        builder_(builder),
        overlaps_(settings.effective_overlap() != Overlap::none),
        bucket_of_(model.parameters.size()) {
    if (overlaps_) stream_ = builder.stream("red");
    fill_buckets();
  }

  void begin_micro_step(int micro_step) override {
    is_last_ = micro_step + 1 == settings_.micro_steps;
    for (auto& bucket : buckets_) bucket.missing = bucket.trained;
  }

  void gradient_ready(int parameter) override {
    auto& bucket = buckets_[bucket_of_[static_cast<std::size_t>(parameter)]];
    if (--bucket.missing > 0 || !is_last_) return;
    if (stream_ != 0) builder_.wait(stream_, {builder_.last(0)});
    exchange(Collective::reduce_scatter, bucket, settings_.gradient_type(), overlaps_);
  }

  void end_micro_step(int /*micro_step*/) override {
    if (is_last_ && stream_ != 0) builder_.wait(0, {builder_.last(stream_)});
  }

  /// Gathers first the buckets that the start of the model needs.
  void optimizer_step() override {
    if (settings_.type == DataType::float16)
      builder_.collective({.elements = 1, .type = DataType::float32, .op = ReduceOp::max, .tag = "overflow"});
    const bool clips = settings_.clips_gradients.value_or(true);
    if (clips) builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    add_adam(builder_, static_cast<double>(model_.trained_elements()) / settings_.ranks, clips);
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket)
      exchange(Collective::all_gather, *bucket, settings_.type, false);
  }

  bool remembers() const override { return false; }

 private:
  struct Bucket {
    std::uint64_t elements = 0;
    int trained = 0;  ///< tensors that get a gradient
    int missing = 0;  ///< trained tensors without a gradient yet in the current micro-step
  };

  /// Without overlap there is one bucket. A tensor begins at a multiple of 64 elements; a bucket ends at a multiple of
  /// 128 and of the ranks.
  void fill_buckets() {
    const auto ranks = static_cast<std::uint64_t>(settings_.ranks);
    const auto limit = settings_.ddp_bucket.value_or(std::max<std::uint64_t>(40'000'000, 1'000'000 * ranks));
    const auto trained = gets_gradient(model_);
    bool is_open = false;
    const auto close = [&] {
      buckets_.back().elements = round_up(buckets_.back().elements, std::lcm(ranks, std::uint64_t{128}));
      is_open = false;
    };
    for (std::size_t i = model_.parameters.size(); i-- > 0;) {
      const auto& parameter = model_.parameters[i];
      if (!parameter.requires_grad) continue;
      if (!is_open) buckets_.emplace_back();
      is_open = true;
      auto& bucket = buckets_.back();
      bucket.elements = round_up(bucket.elements, 64) + parameter.elements();
      bucket.trained += trained[i] ? 1 : 0;
      bucket_of_[i] = buckets_.size() - 1;
      if (overlaps_ && bucket.elements >= limit) close();
    }
    if (is_open) close();
  }

  void exchange(Collective collective, const Bucket& bucket, DataType type, bool is_async) {
    builder_.collective({.collective = collective,
                         .elements = bucket.elements,
                         .type = type,
                         .stream = is_async ? stream_ : 0,
                         .is_async = is_async,
                         .tag = "bucket"});
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  bool overlaps_;
  int stream_ = 0;
  bool is_last_ = false;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;
};

}  // namespace

std::unique_ptr<StepHooks> make_megatron(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Megatron>(model, settings, builder);
}

}  // namespace ringmark::replay
