#include "replay/generate/parameter_coordinator.hpp"

#include <algorithm>
#include <limits>

namespace ringmark::replay {

ParameterCoordinator::ParameterCoordinator(const Model& model, const StepSettings& settings)
    : settings_(settings), states_(model.parameters.size(), State::elsewhere), active_(model.parameters.size()) {
  std::uint64_t left = settings.model_persistence_threshold;
  for (const auto& parameter : model.parameters) {
    const auto elements = parameter.elements();
    elements_.push_back(elements);
    trains_.push_back(parameter.requires_grad);
    persists_.push_back(elements <= settings.persistence_threshold && elements <= left);
    if (persists_.back()) left -= elements;
  }
}

void ParameterCoordinator::begin_micro_step() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != State::in_flight) continue;
    states_[i] = State::here;
    release(static_cast<int>(i));
  }
  if (tracing_ == Tracing::recording) {
    for (std::size_t step = 0; step < order_.size(); ++step) {
      const std::set<int> own(order_[step]->parameters.begin(), order_[step]->parameters.end());
      for (const int parameter : own) uses_.push_back({parameter, static_cast<int>(step)});
    }
    tracing_ = Tracing::complete;
  } else if (tracing_ == Tracing::off) {
    tracing_ = Tracing::recording;
  }
  queue_.assign(uses_.begin(), uses_.end());
  fetched_for_.clear();
  step_ = 0;
  const auto& framework = settings_.framework;
  if (framework.is_before(0, 16, 0) || !framework.is_before(0, 16, 8)) available_ = 0;
}

ParameterCoordinator::Fetch ParameterCoordinator::enter(const Module& module, Phase phase) {
  if (tracing_ == Tracing::recording) order_.push_back(&module);
  if (phase == Phase::backward) entered_backward_.push_back(&module);
  Fetch fetch;
  fetch.needed = gather(module.parameters);
  for (const int parameter : module.parameters) {
    active_[static_cast<std::size_t>(parameter)].insert(&module);
    state(parameter) = State::here;
    // From 0.19.3 on, frozen parameters stay until the recomputation has used them.
    const bool stays = phase == Phase::recompute && !trains_[static_cast<std::size_t>(parameter)] &&
                       !settings_.framework.is_before(0, 19, 3) && !entered_backward_.empty();
    if (!stays) continue;
    recomputed_[entered_backward_.back()].insert(parameter);
    active_[static_cast<std::size_t>(parameter)].insert(entered_backward_.back());
  }
  if (tracing_ == Tracing::complete) {
    std::set<int> not_yet, popped;
    for (const int parameter : module.parameters) {
      const auto found = fetched_for_.find(parameter);
      if (found == fetched_for_.end() || found->second < step_) not_yet.insert(parameter);
    }
    while (!queue_.empty() && popped.size() < not_yet.size()) {
      const auto use = queue_.front();
      queue_.pop_front();
      fetched_for_[use.parameter] = use.step;
      popped.insert(use.parameter);
    }
    if (settings_.prefetch_bucket > 0) fetch.prefetched = prefetch();
  }
  ++step_;
  return fetch;
}

/// Takes uses from the queue until the prefetch limit is reached; the last use may exceed it.
std::vector<int> ParameterCoordinator::prefetch() {
  const auto room = static_cast<std::int64_t>(settings_.max_live) - available_;
  const auto most = std::min(room, static_cast<std::int64_t>(settings_.prefetch_bucket));
  std::int64_t taken = 0;
  std::vector<int> chosen;
  while (!queue_.empty() && taken < most) {
    const auto use = queue_.front();
    queue_.pop_front();
    const bool is_chosen = std::find(chosen.begin(), chosen.end(), use.parameter) != chosen.end();
    const auto [found, is_new] = fetched_for_.emplace(use.parameter, use.step);
    if (!is_new) found->second = std::max(found->second, use.step);
    if (state(use.parameter) != State::elsewhere || is_chosen) continue;
    chosen.push_back(use.parameter);
    taken += static_cast<std::int64_t>(elements(use.parameter));
  }
  return gather(chosen);
}

std::vector<int> ParameterCoordinator::gather(const std::vector<int>& parameters) {
  std::vector<int> gathered;
  for (const int parameter : parameters) {
    if (state(parameter) != State::elsewhere) continue;
    state(parameter) = State::in_flight;
    available_ += static_cast<std::int64_t>(elements(parameter));
    gathered.push_back(parameter);
  }
  std::sort(gathered.begin(), gathered.end());
  return gathered;
}

void ParameterCoordinator::leave(const Module& module, bool is_forward) {
  if (!is_forward) {
    std::erase(entered_backward_, &module);
    release_recomputed(module);
  }
  const auto all = std::set<int>(module.parameters.begin(), module.parameters.end());
  const auto& releasable = tracing_ == Tracing::complete ? to_release(module) : all;
  for (const int parameter : all) {
    active_[static_cast<std::size_t>(parameter)].erase(&module);
    if (releasable.contains(parameter)) release(parameter);
  }
}

/// Parameters that are not used again soon. DeepSpeed caches the first answer for each module and step, although it
/// also depends on earlier prefetches.
const std::set<int>& ParameterCoordinator::to_release(const Module& module) {
  const auto [cached, is_new] = release_cache_.try_emplace({&module, step_});
  auto& result = cached->second;
  if (!is_new) return result;
  for (const int parameter : module.parameters) {
    const auto found = fetched_for_.find(parameter);
    const bool is_wanted = found != fetched_for_.end() && found->second > step_;
    if (!is_persistent(parameter) && !is_wanted) result.insert(parameter);
  }
  std::uint64_t distance = 0;
  for (auto at = static_cast<std::size_t>(step_); at < order_.size() && distance < settings_.max_reuse_distance; ++at) {
    for (const int parameter : order_[at]->parameters) {
      result.erase(parameter);
      distance += elements(parameter);
    }
  }
  return result;
}

void ParameterCoordinator::release(int parameter) {
  if (state(parameter) != State::here || !active_[static_cast<std::size_t>(parameter)].empty()) return;
  state(parameter) = State::elsewhere;
  available_ -= static_cast<std::int64_t>(elements(parameter));
  if (settings_.secondary_partition > 1) secondary_.insert(parameter);
}

void ParameterCoordinator::release_recomputed(const Module& owner) {
  const auto found = recomputed_.extract(&owner);
  if (found.empty()) return;
  for (const int parameter : found.mapped()) {
    active_[static_cast<std::size_t>(parameter)].erase(&owner);
    if (!is_persistent(parameter)) release(parameter);
  }
}

void ParameterCoordinator::end_backward() {
  if (!settings_.framework.is_before(0, 19, 3)) {
    for (auto module = entered_backward_.rbegin(); module != entered_backward_.rend(); ++module) {
      for (const int parameter : (*module)->parameters) {
        active_[static_cast<std::size_t>(parameter)].erase(*module);
        if (!is_persistent(parameter)) release(parameter);
      }
      release_recomputed(**module);
    }
  }
  entered_backward_.clear();
}

std::vector<int> ParameterCoordinator::optimizer_step() {
  std::vector<int> persistent;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto parameter = static_cast<int>(i);
    active_[i].clear();
    states_[i] = is_persistent(parameter) ? State::here : State::elsewhere;
    if (is_persistent(parameter)) persistent.push_back(parameter);
  }
  available_ = 0;
  // DeepSpeed invalidates second copies only of the optimizer's parameters.
  std::erase_if(secondary_, [&](int parameter) { return trains_[static_cast<std::size_t>(parameter)]; });
  return persistent;
}

}  // namespace ringmark::replay
