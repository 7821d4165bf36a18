// DeepSpeed's zero/stage3.py and ZeRO++.

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/generate/frameworks.hpp"
#include "replay/generate/parameter_coordinator.hpp"

namespace ringmark::replay {
namespace {

class Stage3 final : public StepHooks {
 public:
  Stage3(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model), settings_(settings), builder_(builder), coordinator_(model, settings) {
    if (settings.effective_overlap() != Overlap::none) {
      gather_stream_ = builder.stream("ag");
      reduce_stream_ = builder.stream("red");
    }
    if (settings.secondary_partition > 1)
      secondary_group_ = builder.group({"hpz", Group::Kind::block, settings.secondary_partition});
    if (quantizes_gradients()) {
      node_group_ = builder.group({"node", Group::Kind::block, settings.ranks_per_node});
      cross_group_ = builder.group({"xnode", Group::Kind::stride, settings.ranks_per_node});
    }
  }

  void begin_micro_step(int /*micro_step*/) override {
    coordinator_.begin_micro_step();
    gathers_.clear();
    reductions_.clear();
  }

  void enter(const Module& module, Phase phase) override {
    const auto fetch = coordinator_.enter(module, phase);
    gather(fetch.needed, "fetch");
    std::vector<int> awaited;
    for (const int parameter : module.parameters) {
      const auto found = gathers_.find(parameter);
      if (found == gathers_.end()) continue;
      awaited.insert(awaited.end(), found->second.begin(), found->second.end());
      gathers_.erase(found);
    }
    builder_.wait(0, awaited);
    gather(fetch.prefetched, "prefetch");
  }

  void leave(const Module& module, Phase phase) override { coordinator_.leave(module, phase != Phase::backward); }

  void gradient_ready(int parameter) override {
    if (in_bucket_ > 0 && in_bucket_ + elements(parameter) > settings_.reduce_bucket) flush();
    bucket_.push_back(parameter);
    in_bucket_ += elements(parameter);
  }

  void end_micro_step(int /*micro_step*/) override {
    flush();
    coordinator_.end_backward();
    builder_.host_sync({builder_.last(reduce_stream_), builder_.last(0)});
  }

  void optimizer_step() override {
    auto persistent = coordinator_.optimizer_step();
    if (settings_.ranks == 1 && persistent.size() != 1) persistent.clear();
    if (settings_.type == DataType::float16)
      builder_.host_sync({call({.elements = 1, .type = DataType::uint8, .op = ReduceOp::max, .tag = "overflow"})});
    const auto norm_type = settings_.offloads_optimizer ? DataType::float32 : DataType::float64;
    for (int i = 0; i < sub_groups(); ++i) call({.elements = 1, .type = norm_type, .tag = "norm"});
    // DeepSpeed computes the norm and divides by the loss scale even without clipping.
    add_adam(builder_, static_cast<double>(model_.trained_elements()) / settings_.ranks, true);
    std::vector<int> gathers;
    for (const int parameter : persistent) {
      gathers.push_back(call({.collective = Collective::all_gather,
                              .elements = padded(parameter),
                              .type = settings_.type,
                              .is_async = persistent.size() > 1 && !settings_.fetches_singly,
                              .after = {builder_.last(0)},
                              .tag = "persistent"}));
    }
    builder_.wait(0, gathers);
  }

 private:
  using Call = TraceBuilder::Call;

  bool quantizes_gradients() const {
    return settings_.quantized_gradients && settings_.ranks > settings_.ranks_per_node;
  }
  std::uint64_t ranks() const { return static_cast<std::uint64_t>(settings_.ranks); }
  std::uint64_t elements(int parameter) const {
    return model_.parameters[static_cast<std::size_t>(parameter)].elements();
  }
  std::uint64_t padded(int parameter) const { return round_up(elements(parameter), ranks()); }
  int call(const Call& call) { return builder_.collective(call); }

  void gather(const std::vector<int>& parameters, const char* tag) {
    if (settings_.ranks == 1) return;
    if (settings_.fetches_singly && parameters.size() > 1) {
      for (const int parameter : parameters) gather({parameter}, tag);
      return;
    }
    std::vector<int> from_node, from_all;
    for (const int parameter : parameters)
      (coordinator_.has_secondary(parameter) ? from_node : from_all).push_back(parameter);
    gather_from(secondary_group_, from_node, static_cast<std::uint64_t>(settings_.secondary_partition), tag);
    gather_from(0, from_all, ranks(), tag);
  }

  void gather_from(int group, const std::vector<int>& parameters, std::uint64_t sharers, const char* tag) {
    if (parameters.empty()) return;
    std::uint64_t sum = 0;
    // A secondary partition cuts a rank's padded tensor, so its size must divide too.
    for (const int parameter : parameters) sum += round_up(elements(parameter), std::max(sharers, ranks()));
    const int after = builder_.last(0);
    const auto type = settings_.quantized_weights ? DataType::int8 : settings_.type;
    const bool by_all_reduce =
        settings_.fetches_by_all_reduce && !settings_.quantized_weights && group == 0 && parameters.size() > 1;
    Call payload{.collective = by_all_reduce ? Collective::all_reduce : Collective::all_gather,
                 .elements = sum,
                 .type = type,
                 .stream = gather_stream_,
                 .group = group,
                 .is_async = true,
                 .after = {after},
                 .tag = tag};
    std::vector<int> calls{call(payload)};
    if (settings_.quantized_weights) {
      payload.elements = sharers * scales_of(sum / sharers);
      payload.type = DataType::float32;
      calls.push_back(call(payload));
    }
    for (const int parameter : parameters) gathers_[parameter] = calls;
  }

  /// Number of quantization groups in a rank's part of a fetch: equal multiples of 8 elements, at most 8000 each.
  static std::uint64_t scales_of(std::uint64_t part) {
    constexpr std::uint64_t most_together = 8000, unit = 8;
    if (part % unit != 0)
      throw BadUsage(fmt::format(
          "zero_quantized_weights: DeepSpeed needs a multiple of {} elements in each rank's part of a fetch, "
          "but one part has {}",
          unit, part));
    const std::uint64_t units = part / unit, least = (part + most_together - 1) / most_together;
    std::uint64_t groups = units;
    for (std::uint64_t divisor = 1; divisor * divisor <= units; ++divisor) {
      if (units % divisor != 0) continue;
      for (const auto candidate : {divisor, units / divisor}) {
        if (candidate >= least) groups = std::min(groups, candidate);
      }
    }
    return groups;
  }

  void flush() {
    if (bucket_.empty()) return;
    constexpr std::size_t most_outstanding = 2;
    if (reductions_.size() > most_outstanding) {
      builder_.host_sync({reductions_.front()});
      reductions_.erase(reductions_.begin());
    }
    if (reduce_stream_ != 0) builder_.wait(reduce_stream_, {builder_.last(0)});
    const auto bytes = static_cast<double>(in_bucket_ * size_bytes(settings_.type));
    builder_.copy(reduce_stream_, 4 * bytes, "divide, interleave");
    reduce();
    reductions_.push_back(builder_.last(reduce_stream_));
    bucket_.clear();
    in_bucket_ = 0;
  }

  void reduce() {
    const bool all_reduces =
        !settings_.reduce_scatter && settings_.contiguous_gradients && in_bucket_ <= settings_.reduce_bucket;
    if (all_reduces) {
      reduce_with(Collective::all_reduce, in_bucket_);
    } else if (quantizes_gradients()) {
      std::sort(bucket_.begin(), bucket_.end());
      for (const int parameter : bucket_) reduce_quantized(parameter);
    } else {
      std::uint64_t sum = 0;
      for (const int parameter : bucket_) sum += padded(parameter);
      reduce_with(Collective::reduce_scatter, sum);
    }
  }

  void reduce_with(Collective collective, std::uint64_t count) {
    call({.collective = collective,
          .elements = count,
          .type = settings_.gradient_type(),
          .stream = reduce_stream_,
          .tag = "bucket"});
  }

  /// qgZ: sends four-bit values to the ranks of the node, reduces them there, then sends to the same rank of all nodes.
  /// The scales are sent along with them.
  void reduce_quantized(int parameter) {
    const auto& shape = model_.parameters[static_cast<std::size_t>(parameter)].shape;
    const auto count = elements(parameter);
    if (shape.size() < 2 || count % (2 * ranks()) != 0)
      return reduce_with(Collective::reduce_scatter, padded(parameter));
    const auto in_node = static_cast<std::uint64_t>(settings_.ranks_per_node);
    const auto scales = std::max({shape[0], shape[1], ranks()});
    exchange(node_group_, count / 2, DataType::int8);
    exchange(node_group_, scales, DataType::float32);
    exchange(cross_group_, count / (2 * in_node), DataType::int8);
    exchange(cross_group_, std::max<std::uint64_t>(1, scales / in_node), DataType::float32);
  }

  void exchange(int group, std::uint64_t count, DataType type) {
    call({.collective = Collective::all_to_all,
          .elements = count,
          .type = type,
          .stream = reduce_stream_,
          .group = group,
          .tag = "quantized gradient"});
  }

  /// Cuts each group's parameters into pieces of sub_group_size, counted in a rank's share.
  int sub_groups() const {
    int count = 0;
    for (const auto& group : parameter_groups(model_, settings_)) {
      std::uint64_t all = 0;
      for (const int parameter : group) all += padded(parameter) / ranks();
      if (settings_.sub_group >= all) {
        ++count;
        continue;
      }
      std::uint64_t piece = 0;
      for (const int parameter : group) {
        piece += padded(parameter) / ranks();
        if (piece < settings_.sub_group && parameter != group.back()) continue;
        ++count;
        piece = 0;
      }
    }
    return count;
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  ParameterCoordinator coordinator_;
  int gather_stream_ = 0, reduce_stream_ = 0;
  int secondary_group_ = 0, node_group_ = 0, cross_group_ = 0;
  std::map<int, std::vector<int>> gathers_;  ///< by parameter: gathers for which its next use must wait
  std::vector<int> bucket_, reductions_;
  std::uint64_t in_bucket_ = 0;
};

}  // namespace

std::unique_ptr<StepHooks> make_stage3(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Stage3>(model, settings, builder);
}

}  // namespace ringmark::replay
