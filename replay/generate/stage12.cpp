// DeepSpeed's zero/stage_1_and_2.py.

#include <algorithm>

#include "replay/generate/flat_ownership.hpp"
#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

class Stage12 final : public StepHooks {
 public:
  Stage12(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model),
        settings_(settings),
        builder_(builder),
        ownership_(model, settings),
        gets_gradient_(gets_gradient(model)) {
    if (settings.effective_overlap() != Overlap::none || settings.overlap_comm) stream_ = builder.stream("red");
  }

  void begin_micro_step(int micro_step) override {
    is_last_ = micro_step + 1 == settings_.micro_steps;
    launched_ = -1;
  }

  /// Stage 1 without overlap reduces after the backward pass, in registration order.
  void gradient_ready(int parameter) override {
    if (reduces_in_backward()) add(parameter);
  }

  void end_micro_step(int /*micro_step*/) override {
    if (settings_.zero_stage == 1 && !is_last_) return;
    if (!reduces_in_backward()) {
      for (const auto& group : ownership_.groups()) {
        for (const int parameter : group) {
          if (gets_gradient_[static_cast<std::size_t>(parameter)]) add(parameter);
        }
      }
    }
    flush();
    if (stream_ != 0) builder_.host_sync({builder_.last(stream_), builder_.last(0)});
  }

  void optimizer_step() override {
    const bool is_bfloat16 = settings_.type == DataType::bfloat16;
    const auto& framework = settings_.framework;
    const bool checks_bfloat16 =
        !framework.is_before(0, 17, 1) && settings_.check_overflow_bf16.value_or(!framework.is_before(0, 19, 3));
    // These versions check for overflow only where gradients are partitioned.
    const bool leaves_it_out =
        settings_.zero_stage == 1 && !framework.is_before(0, 17, 1) && framework.is_before(0, 18, 0);
    if ((settings_.type == DataType::float16 || (is_bfloat16 && checks_bfloat16)) && !leaves_it_out) {
      const int call =
          builder_.collective({.elements = 1, .type = DataType::uint8, .op = ReduceOp::max, .tag = "overflow"});
      builder_.host_sync({call});
    }
    for (std::size_t group = 0; group < ownership_.groups().size(); ++group)
      builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    // DeepSpeed computes the norm and divides by the loss scale even without clipping.
    for (const auto elements : ownership_.padded())
      add_adam(builder_, static_cast<double>(elements) / settings_.ranks, true);
    if (settings_.ranks == 1) return;
    for (const auto elements : ownership_.padded()) {
      builder_.collective(
          {.collective = Collective::all_gather, .elements = elements, .type = settings_.type, .tag = "weights"});
    }
  }

  bool remembers() const override { return false; }

 private:
  bool reduces_in_backward() const { return settings_.zero_stage == 2 || (is_last_ && settings_.overlap_comm); }

  std::uint64_t elements(int parameter) const {
    return model_.parameters[static_cast<std::size_t>(parameter)].elements();
  }

  void add(int parameter) {
    if (settings_.zero_stage == 1 && !is_last_) return;
    if (in_bucket_ + elements(parameter) > settings_.reduce_bucket) flush();
    bucket_.push_back(parameter);
    in_bucket_ += elements(parameter);
    if (elements(parameter) <= settings_.reduce_bucket) builder_.copy(0, 2 * bytes(elements(parameter)), "fill bucket");
  }

  double bytes(std::uint64_t count) const { return static_cast<double>(count * size_bytes(settings_.type)); }

  void flush() {
    if (bucket_.empty()) return;
    if (stream_ != 0) {
      builder_.wait(stream_, {builder_.last(0)});
      if (settings_.effective_overlap() == Overlap::depth1) builder_.wait(0, {launched_});
    }
    builder_.copy(stream_, 4 * bytes(in_bucket_), "divide, flatten");
    reduce();
    builder_.copy(stream_, 2 * bytes(in_bucket_) / settings_.ranks, "own part");
    launched_ = builder_.last(stream_);
    if (stream_ != 0 && settings_.effective_overlap() == Overlap::none) builder_.wait(0, {launched_});
    bucket_.clear();
    in_bucket_ = 0;
  }

  void reduce() {
    if (settings_.scatter_gradients) {
      call(Collective::reduce_scatter, round_up(in_bucket_, static_cast<std::uint64_t>(settings_.ranks)));
    } else if (!settings_.reduce_scatter || !settings_.keeps_gradients_contiguous()) {
      call(Collective::all_reduce, in_bucket_);
    } else if (settings_.multi_rank_all_reduce) {
      all_reduce_slices();
    } else {
      reduce_to_owners();
    }
  }

  /// Consecutive parts of the bucket with the same owner.
  std::vector<FlatOwnership::Slice> runs() const {
    std::vector<FlatOwnership::Slice> result;
    for (const int parameter : bucket_) {
      for (const auto& slice : ownership_.slices(parameter)) {
        if (!result.empty() && result.back().owner == slice.owner) {
          result.back().elements += slice.elements;
        } else {
          result.push_back(slice);
        }
      }
    }
    return result;
  }

  /// One call for the bucket. A tensor larger than a bucket is split once its owners' slices exceed the limit.
  void all_reduce_slices() {
    std::uint64_t together = 0;
    for (const auto& run : runs()) {
      together += run.elements;
      if (together <= settings_.reduce_bucket) continue;
      call(Collective::all_reduce, together);
      together = 0;
    }
    if (together > 0) call(Collective::all_reduce, together);
  }

  /// One call for each owner, in the order of their first parts in the bucket, split as above.
  void reduce_to_owners() {
    std::vector<FlatOwnership::Slice> owners;
    const auto all = runs();
    for (const auto& run : all) {
      const bool is_known =
          std::any_of(owners.begin(), owners.end(), [&](const auto& o) { return o.owner == run.owner; });
      if (!is_known) owners.push_back({run.owner, 0});
    }
    for (const auto& owner : owners) {
      std::uint64_t together = 0;
      for (const auto& run : all) {
        if (run.owner != owner.owner) continue;
        together += run.elements;
        if (together <= settings_.reduce_bucket) continue;
        call(Collective::reduce, together, owner.owner);
        together = 0;
      }
      if (together > 0) call(Collective::reduce, together, owner.owner);
    }
  }

  void call(Collective collective, std::uint64_t count, int root = 0) {
    builder_.collective({.collective = collective,
                         .elements = count,
                         .type = settings_.gradient_type(),
                         .stream = stream_,
                         .root = root,
                         .tag = "bucket"});
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  FlatOwnership ownership_;
  std::vector<bool> gets_gradient_;
  int stream_ = 0;
  bool is_last_ = false;
  std::vector<int> bucket_;
  std::uint64_t in_bucket_ = 0;
  int launched_ = -1;
};

}  // namespace

std::unique_ptr<StepHooks> make_stage12(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Stage12>(model, settings, builder);
}

}  // namespace ringmark::replay
