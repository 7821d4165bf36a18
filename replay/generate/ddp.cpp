// The reducer of PyTorch's DistributedDataParallel.

#include <algorithm>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

class Ddp final : public StepHooks {
 public:
  Ddp(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model), settings_(settings), builder_(builder), bucket_of_(model.parameters.size()) {
    if (settings.effective_overlap() != Overlap::none) stream_ = builder.stream("red");
    const auto used = gets_gradient(model);
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!model.parameters[i].requires_grad) continue;
      registered_.push_back(static_cast<int>(i));
      if (!used[i]) unused_.push_back(static_cast<int>(i));
    }
    if (settings.find_unused_parameters) {
      // Other tensors may get a gradient in each step, so the first buckets are kept.
      fill_buckets(registered_);
      std::reverse(buckets_.begin(), buckets_.end());
    } else {
      fill_buckets(gradient_order(model, settings.type == DataType::float32));
    }
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      for (const int parameter : buckets_[bucket]) bucket_of_[static_cast<std::size_t>(parameter)] = bucket;
    }
  }

  void begin_micro_step(int micro_step) override {
    is_last_ = micro_step + 1 == settings_.micro_steps;
    missing_.clear();
    for (const auto& bucket : buckets_) missing_.push_back(bucket.size());
    is_first_gradient_ = true;
    calls_.clear();
  }

  void gradient_ready(int parameter) override {
    if (!is_last_) return;
    // Tensors that the backward pass will not reach count as ready with the first gradient.
    if (is_first_gradient_) {
      for (const int unused : unused_) --missing_[bucket_of_[static_cast<std::size_t>(unused)]];
      is_first_gradient_ = false;
    }
    --missing_[bucket_of_[static_cast<std::size_t>(parameter)]];
    while (calls_.size() < buckets_.size() && missing_[calls_.size()] == 0) launch(buckets_[calls_.size()]);
  }

  void end_micro_step(int /*micro_step*/) override {
    if (!is_last_) return;
    if (settings_.find_unused_parameters) {
      calls_.push_back(builder_.collective({.elements = registered_.size(),
                                            .type = DataType::int32,
                                            .stream = stream_,
                                            .is_async = true,
                                            .tag = "used parameters"}));
    }
    builder_.wait(0, calls_);
  }

  void optimizer_step() override {
    add_adam(builder_, static_cast<double>(model_.trained_elements()), settings_.clips_gradients.value_or(false));
  }

 private:
  std::uint64_t elements(int parameter) const {
    return model_.parameters[static_cast<std::size_t>(parameter)].elements();
  }

  /// A bucket is closed by the tensor with which it reaches its limit.
  void fill_buckets(const std::vector<int>& order) {
    constexpr std::uint64_t first_bucket_bytes = 1U << 20U;
    const auto cap_bytes = settings_.bucket_cap_bytes.value_or(usual_bucket_cap_bytes);
    // From 2.4 on, an explicit cap also applies to the first bucket.
    const bool is_first_smaller = !settings_.bucket_cap_bytes || settings_.framework.is_before(2, 4, 0);
    std::uint64_t limit = is_first_smaller ? first_bucket_bytes : cap_bytes, bytes = 0;
    bool is_open = false;
    for (const int parameter : order) {
      if (!is_open) buckets_.emplace_back();
      buckets_.back().push_back(parameter);
      bytes += elements(parameter) * size_bytes(settings_.type);  // before a hook casts
      is_open = bytes < limit;
      if (is_open) continue;
      bytes = 0;
      limit = cap_bytes;
    }
  }

  void launch(const std::vector<int>& bucket) {
    const auto type = settings_.gradient_type();
    std::uint64_t count = 0;
    for (const int parameter : bucket) count += elements(parameter);
    builder_.copy(0, 2.0 * static_cast<double>(count * size_bytes(type)), "bucket");
    const int call = builder_.collective({.collective = Collective::all_reduce,
                                          .elements = count,
                                          .type = type,
                                          .stream = stream_,
                                          .is_async = true,
                                          .after = {builder_.last(0)},
                                          .tag = "bucket"});
    calls_.push_back(call);
    const bool waits_for_previous = settings_.effective_overlap() == Overlap::depth1 && calls_.size() > 1;
    if (stream_ == 0) builder_.wait(0, {call});
    if (waits_for_previous) builder_.wait(0, {calls_[calls_.size() - 2]});
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  int stream_ = 0;
  std::vector<int> registered_, unused_;  ///< tensors that require a gradient: all, and those that no module uses
  std::vector<std::vector<int>> buckets_;
  std::vector<std::size_t> bucket_of_;
  // state of the current micro-step
  bool is_last_ = false, is_first_gradient_ = true;
  std::vector<std::size_t> missing_;  ///< tensors of each bucket
  std::vector<int> calls_;            ///< one for each bucket launched
};

}  // namespace

std::unique_ptr<StepHooks> make_ddp(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Ddp>(model, settings, builder);
}

}  // namespace ringmark::replay
