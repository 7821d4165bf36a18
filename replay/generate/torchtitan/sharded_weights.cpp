#include "replay/generate/torchtitan/sharded_weights.hpp"

#include <algorithm>
#include <utility>

namespace ringmark::replay::torchtitan {

ShardedWeights::ShardedWeights(const Settings& settings, const Chunk& chunk) : settings_(settings), chunk_(chunk) {
  const bool reshards = settings.reshard == Reshard::always || (settings.reshard == Reshard::usual && !has_pipeline());
  for (const auto& unit : chunk.units) {
    auto& state = units_.emplace_back();
    state.unit = &unit;
    // From the first loss on, the loss reshards the head.
    state.reshards_after_forward = reshards || unit.kind == Unit::Kind::head;
    state.groups.resize(unit.groups.size());
  }
}

void ShardedWeights::begin_pass(PassBuilder& pass) {
  pass_ = &pass;
  copied_out_.clear();
  for (auto& unit : units_) {
    for (auto& group : unit.groups) group.call.reset();
  }
}

/// Experts make the host wait for the device, so torchtitan itself chooses the unit to prefetch.
bool ShardedWeights::prefetches_explicitly(std::size_t unit) const {
  return settings_.sizes.expert > 1 && unit < units_.size() && chunk_.units.size() > 1;
}

int ShardedWeights::shards(const UnitState& unit, std::size_t group) const {
  return settings_.weight_shards(unit.unit->groups[group].of_experts);
}

void ShardedWeights::gather(std::size_t unit, std::size_t group, std::vector<int> after) {
  using Weights = GroupState::Weights;
  auto& state = units_[unit];
  auto& of_group = state.groups[group];
  if (of_group.weights != Weights::sharded) return;
  of_group.weights = Weights::in_flight;
  const int ranks = shards(state, group);
  if (ranks < 2) return;
  const auto& tensors = state.unit->groups[group];
  std::uint64_t elements = 0;
  for (const auto& tensor : tensors.tensors) elements += tensor.padded(ranks);
  of_group.call = pass_->call({.collective = Collective::all_gather,
                               .elements = elements,
                               .type = settings_.type,
                               .over = tensors.of_experts ? Over::expert_shards : Over::shards,
                               .is_async = true,
                               .tag = "weights",
                               .after = std::move(after)});
}

void ShardedWeights::gather_all(std::size_t unit) {
  for (std::size_t group = 0; group < units_[unit].groups.size(); ++group) gather(unit, group);
}

/// Waits until the weights are gathered, and copies the gathered rows to the tensors.
void ShardedWeights::wait_for(std::size_t unit, std::size_t group) {
  using Weights = GroupState::Weights;
  auto& state = units_[unit];
  auto& of_group = state.groups[group];
  if (of_group.weights != Weights::in_flight) return;
  of_group.weights = Weights::gathered;
  const auto& tensors = state.unit->groups[group];
  if (shards(state, group) < 2) return;
  if (of_group.call) {
    copied_out_.push_back(*pass_->wait(of_group.call));
  } else {
    pass_->drain(tensors.of_experts ? Over::expert_shards : Over::shards);
  }
  double elements = 0;
  for (const auto& tensor : tensors.tensors) elements += static_cast<double>(tensor.elements());
  pass_->compute(0, 2 * static_cast<double>(size_bytes(settings_.type)) * elements, "copy out").is_launched = false;
}

/// A unit may be gathered once the second to last one has been copied out.
void ShardedWeights::before_forward(std::size_t unit) {
  const auto count = copied_out_.size();
  const std::vector<int> after = count > 1 ? std::vector{copied_out_[count - 2]} : std::vector<int>{};
  for (std::size_t group = 0; group < units_[unit].groups.size(); ++group) {
    gather(unit, group, after);
    wait_for(unit, group);
  }
  if (prefetches_explicitly(unit) && unit + 1 < units_.size() && units_[unit].unit->kind != Unit::Kind::head)
    gather_all(unit + 1);
}

void ShardedWeights::after_forward(std::size_t unit) {
  auto& state = units_[unit];
  if (state.unit->kind == Unit::Kind::head) return;
  if (state.reshards_after_forward) give_up(state);
  for (std::size_t group = 0; group < state.groups.size(); ++group) {
    state.groups[group].order.push_back(order_.size());
    order_.push_back({unit, group});
  }
}

void ShardedWeights::end_forward() {
  auto& state = units_.back();
  if (state.unit->kind != Unit::Kind::head) return;
  if (state.reshards_after_forward) give_up(state);
  state.groups.front().order.push_back(order_.size());
  order_.push_back({units_.size() - 1, 0});
}

void ShardedWeights::begin_loss() {
  gather(units_.size() - 1, 0);
  wait_for(units_.size() - 1, 0);
}

void ShardedWeights::end_loss() {
  auto& state = units_.back();
  state.has_head_gradient = true;
  reduce(state);
  state.is_pending = false;
  give_up(state);
}

void ShardedWeights::before_backward(std::size_t unit) {
  auto& state = units_[unit];
  const bool is_explicit = prefetches_explicitly(unit) && unit > 0;
  for (std::size_t group = 0; group < state.groups.size(); ++group) {
    gather(unit, group);
    wait_for(unit, group);
    if (!is_explicit) prefetch_before(unit, group);
  }
  if (!is_explicit) return;
  for (auto group = units_[unit - 1].groups.size(); group-- > 0;) gather(unit - 1, group);
}

/// Gathers the unit whose forward pass ended before this one's, or each of its groups.
void ShardedWeights::prefetch_before(std::size_t unit, std::size_t group) {
  auto& order = units_[unit].groups[group].order;
  if (order.empty()) return;
  const auto at = order.back();
  order.pop_back();
  if (units_[unit].groups.size() == 1) {
    if (at > 0) gather(order_[at - 1].unit, order_[at - 1].group);
    return;
  }
  if (group != 1) return;
  std::optional<std::size_t> target;
  for (auto before = at; before-- > 0;) {
    const auto& place = order_[before];
    if (place.unit == unit) continue;
    if (target && place.unit != *target) return;
    target = place.unit;
    gather(place.unit, place.group);
  }
}

void ShardedWeights::after_backward(std::size_t unit, bool has_gradients) {
  auto& state = units_[unit];
  if (has_gradients) state.has_gradient = true;
  if (has_pipeline()) {
    state.is_pending = true;
    return;
  }
  give_up(state);
  reduce(state);
}

void ShardedWeights::give_up(UnitState& unit) {
  for (auto& group : unit.groups) {
    if (group.weights == GroupState::Weights::gathered) group.weights = GroupState::Weights::sharded;
  }
}

void ShardedWeights::reduce(UnitState& unit) {
  for (auto group = unit.groups.size(); group-- > 0;) reduce(unit.unit->groups[group], shards(unit, group), unit);
  unit.had_gradient |= unit.has_gradient;
  unit.has_gradient = unit.has_head_gradient = false;
}

/// Ranks of a tensor group sum their parts of a gradient separately for each tensor.
void ShardedWeights::reduce(const TensorGroup& group, int shards, const UnitState& unit) {
  constexpr auto type = DataType::float32;
  std::uint64_t elements = 0;
  double copied = 0;
  for (const auto& tensor : group.tensors) {
    if (!(tensor.is_head ? unit.has_head_gradient : unit.has_gradient)) continue;
    elements += tensor.padded(shards);
    copied += static_cast<double>(tensor.elements());
    if (tensor.is_summed_over_tp)
      pass_->call({.elements = tensor.elements(), .type = type, .over = Over::tensor, .tag = "replicated"});
  }
  if (elements == 0) return;
  if (shards > 1) {
    pass_->compute(0, static_cast<double>(size_bytes(settings_.type) + size_bytes(type)) * copied, "copy in")
        .is_launched = false;
    pass_->call({.collective = Collective::reduce_scatter,
                 .elements = elements,
                 .type = type,
                 .over = group.of_experts ? Over::expert_shards : Over::shards,
                 .is_async = true,
                 .tag = "gradients"});
  }
  pass_->call({.elements = elements / static_cast<std::uint64_t>(shards),
               .type = type,
               .over = group.of_experts ? Over::expert_instances : Over::instances,
               .is_async = true,
               .tag = "gradients"});
}

void ShardedWeights::unshard() {
  for (std::size_t unit = 0; unit < units_.size(); ++unit) gather_all(unit);
}

void ShardedWeights::reshard() {
  for (auto& unit : units_) give_up(unit);
}

void ShardedWeights::reduce_gradients() {
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) {
    if (std::exchange(unit->is_pending, false)) reduce(*unit);
    give_up(*unit);
  }
  forget_order();
}

/// Also frees units that were prefetched and not needed.
void ShardedWeights::forget_order() {
  order_.clear();
  for (auto& unit : units_) {
    for (auto& group : unit.groups) {
      group.order.clear();
      if (group.weights == GroupState::Weights::in_flight) group.weights = GroupState::Weights::sharded;
    }
  }
}

std::uint64_t ShardedWeights::tensors_with_gradient(bool of_experts) const {
  std::uint64_t count = 0;
  for (const auto& unit : units_) {
    for (const auto& group : unit.unit->groups) {
      if (group.of_experts != of_experts) continue;
      for (const auto& tensor : group.tensors) count += tensor.is_head || unit.had_gradient ? 1 : 0;
    }
  }
  return count;
}

}  // namespace ringmark::replay::torchtitan
