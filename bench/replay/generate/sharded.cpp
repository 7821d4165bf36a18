// What others do in the place of ZeRO: PyTorch's FSDP and Megatron's distributed optimizer.

#include <algorithm>
#include <map>
#include <set>

#include "bench/replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

std::uint64_t own_elements(const Model& model, const Module& module, std::set<int>& taken) {
  std::uint64_t sum = 0;
  for (const int index : module.parameters) {
    if (taken.insert(index).second) sum += model.parameters[static_cast<std::size_t>(index)].elements();
  }
  for (const auto& child : module.children) sum += own_elements(model, child, taken);
  return sum;
}

/// Each layer is a unit that is gathered as a whole; the root unit has the rest, and stays after its forward pass.
class Fsdp final : public StepHooks {
 public:
  Fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : settings_(settings), builder_(builder), model_elements_(model.elements()) {
    if (settings.effective_overlap() != Overlap::none) {
      gather_stream_ = builder.stream("ag");
      reduce_stream_ = builder.stream("red");
    }
    auto layers = model;
    recompute_layers(layers);
    std::set<int> taken;
    find_layers(model, layers.forward, taken);
    root_ = own_elements(model, model.forward, taken);
  }

  void begin_micro_step(int /*micro_step*/) override {
    gathered_.clear();
    forward_order_.clear();
    wait_for(gather(root_, "root"));
  }

  void enter(const Module& module, Phase phase) override {
    if (!layers_.contains(module.name)) return;
    if (phase == Phase::forward) forward_order_.push_back(module.name);
    if (!gathered_.contains(module.name)) gathered_[module.name] = gather(layers_.at(module.name), module.name);
    wait_for(gathered_.at(module.name));
    if (phase == Phase::backward) prefetch_before(module.name);
  }

  void leave(const Module& module, Phase phase) override {
    if (!layers_.contains(module.name) || phase == Phase::recompute) return;
    gathered_.erase(module.name);
    if (phase == Phase::backward) reduce(layers_.at(module.name), module.name);
  }

  void end_micro_step(int /*micro_step*/) override {
    reduce(root_, "root");
    builder_.host_sync({builder_.last(reduce_stream_), builder_.last(0)});
  }

  void optimizer_step() override {
    builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    add_adam(builder_, static_cast<double>(model_elements_) / settings_.ranks);
  }

 private:
  void find_layers(const Model& model, const Module& module, std::set<int>& taken) {
    if (module.recompute) {
      layers_[module.name] = own_elements(model, module, taken);
      return;
    }
    for (const auto& child : module.children) find_layers(model, child, taken);
  }

  int gather(std::uint64_t elements, const std::string& tag) {
    return builder_.collective({.collective = Collective::all_gather,
                                .elements = round_up(elements, static_cast<std::uint64_t>(settings_.ranks)),
                                .type = settings_.type,
                                .stream = gather_stream_,
                                .is_async = true,
                                .after = {builder_.last(0)},
                                .tag = tag});
  }
  void wait_for(int call) { builder_.wait(0, {call}); }

  void prefetch_before(const std::string& name) {
    const auto at = std::find(forward_order_.begin(), forward_order_.end(), name);
    if (at == forward_order_.begin() || at == forward_order_.end()) return;
    const auto& before = *(at - 1);
    if (!gathered_.contains(before)) gathered_[before] = gather(layers_.at(before), before);
  }

  void reduce(std::uint64_t elements, const std::string& tag) {
    if (reduce_stream_ != 0) builder_.wait(reduce_stream_, {builder_.last(0)});
    builder_.collective({.collective = Collective::reduce_scatter,
                         .elements = round_up(elements, static_cast<std::uint64_t>(settings_.ranks)),
                         .type = settings_.gradient_type(),
                         .stream = reduce_stream_,
                         .tag = tag});
  }

  const StepSettings& settings_;
  TraceBuilder& builder_;
  std::uint64_t model_elements_;
  int gather_stream_ = 0, reduce_stream_ = 0;
  std::map<std::string, std::uint64_t> layers_;
  std::uint64_t root_ = 0;
  std::map<std::string, int> gathered_;
  std::vector<std::string> forward_order_;
};

/// One buffer of gradients in reverse order of registration, in buckets; each is scattered in the last micro-step and
/// gathered again after the optimizer.
class Megatron final : public StepHooks {
 public:
  Megatron(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model), settings_(settings), builder_(builder), bucket_of_(model.parameters.size()) {
    const bool overlaps = settings.effective_overlap() != Overlap::none;
    if (overlaps) stream_ = builder.stream("red");
    const auto limit = std::max<std::uint64_t>(40'000'000, 1'000'000 * static_cast<std::uint64_t>(settings.ranks));
    for (std::size_t i = model.parameters.size(); i-- > 0;) {
      if (buckets_.empty() || (overlaps && buckets_.back() >= limit)) {
        buckets_.push_back(0);
        members_.push_back(0);
      }
      buckets_.back() += model.parameters[i].elements();
      ++members_.back();
      bucket_of_[i] = buckets_.size() - 1;
    }
  }

  void begin_micro_step(int micro_step) override {
    is_last_ = micro_step + 1 == settings_.micro_steps;
    missing_ = members_;
  }

  void gradient_ready(int parameter) override {
    const auto bucket = bucket_of_[static_cast<std::size_t>(parameter)];
    if (--missing_[bucket] > 0 || !is_last_) return;
    if (stream_ != 0) builder_.wait(stream_, {builder_.last(0)});
    exchange(Collective::reduce_scatter, bucket, settings_.gradient_type(), stream_);
  }

  void end_micro_step(int /*micro_step*/) override {
    if (is_last_ && stream_ != 0) builder_.wait(0, {builder_.last(stream_)});
  }

  void optimizer_step() override {
    builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    add_adam(builder_, static_cast<double>(model_.elements()) / settings_.ranks);
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
      exchange(Collective::all_gather, bucket, settings_.type, 0);
  }

 private:
  void exchange(Collective collective, std::size_t bucket, DataType type, int stream) {
    builder_.collective({.collective = collective,
                         .elements = round_up(buckets_[bucket], static_cast<std::uint64_t>(settings_.ranks)),
                         .type = type,
                         .stream = stream,
                         .tag = "bucket"});
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  int stream_ = 0;
  bool is_last_ = false;
  std::vector<std::size_t> bucket_of_;
  std::vector<std::uint64_t> buckets_;
  std::vector<int> members_, missing_;
};

}  // namespace

std::unique_ptr<StepHooks> make_fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Fsdp>(model, settings, builder);
}

std::unique_ptr<StepHooks> make_megatron(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Megatron>(model, settings, builder);
}

}  // namespace ringmark::replay
