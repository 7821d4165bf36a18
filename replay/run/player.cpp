#include "replay/run/player.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

#include <fmt/format.h>
#include <sys/prctl.h>

#include "base/errors.hpp"
#include "replay/step/step_graph.hpp"

namespace ringmark::replay {
namespace {

/// Intervals at which a sleeping rank polls the network, with and without calls in flight. It stays awake shortly
/// before the next call or the end of the step, to be in time.
constexpr double longest_nap_us = 50, longest_idle_nap_us = 20'000, wake_early_us = 80;
/// Work between two polls of the network.
constexpr double longest_work_us = 20;

}  // namespace

Player::Player(const StepTrace& trace, const Channels& channels, std::vector<double> durations_us,
               ComputeMode compute_mode, Clock::duration patience, GpuCompute* gpu, bool keeps_order, CoreWork* core)
    : trace_(trace),
      channels_(channels),
      durations_us_(std::move(durations_us)),
      compute_mode_(compute_mode),
      patience_(patience),
      gpu_(gpu),
      core_(core),
      waits_for_(trace.events.size()),
      frees_(trace.events.size()) {
  const auto graph = graph_of(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    waits_for_[i] = static_cast<int>(graph.before[i].size());
    for (const int before : graph.before[i]) frees_[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
    if (keeps_order && is_call(trace.events[i])) order_.push_back(static_cast<int>(i));
  }
  quiet_us_.assign(trace.events.size(), 0);
  for (std::size_t i = trace.events.size(); i-- > 0;) {
    double least_us = std::numeric_limits<double>::infinity();
    for (const int next : frees_[i]) {
      const auto n = static_cast<std::size_t>(next);
      least_us = std::min(least_us, is_call(trace.events[n]) ? 0 : durations_us_[n] + quiet_us_[n]);
    }
    if (!frees_[i].empty()) quiet_us_[i] = least_us;
  }
  // By default the kernel ends a sleep up to 50 us late, to save power.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

double Player::elapsed_us() const { return std::chrono::duration<double, std::micro>(Clock::now() - origin_).count(); }

Timeline Player::play() {
  const auto events = trace_.events.size();
  line_ = {std::vector<double>(events), std::vector<double>(events), 0};
  missing_ = waits_for_;
  ready_us_.assign(events, 0);
  left_ = events;
  started_ = 0;
  held_.clear();
  origin_ = Clock::now();
  for (std::size_t i = 0; i < events; ++i) {
    if (waits_for_[i] == 0) begin(static_cast<int>(i), 0);
  }
  settle();
  auto last_end = Clock::now();
  while (left_ > 0) {
    const double now_us = elapsed_us();
    const bool computed = complete_computations(now_us);
    const bool communicated = complete_calls();
    if (computed || communicated) {
      last_end = Clock::now();
    } else if (computations_.empty() && Clock::now() - last_end > patience_) {
      give_up(calls_.front());
    } else {
      let_time_pass(now_us);
    }
  }
  line_.total_us = *std::max_element(line_.end_us.begin(), line_.end_us.end());
  return std::move(line_);
}

/// Waits through the stuck call's communicator, which may know the peer that it waits for.
void Player::give_up(const Running& stuck) const {
  const auto text = fmt::format("event {} of the step, {}, did not end within {} s", stuck.event,
                                call_name(trace_.events[static_cast<std::size_t>(stuck.event)]),
                                std::chrono::duration<double>(patience_).count());
  constexpr auto remedy = "give a longer --timeout if the network is only slow";
  try {
    channels_.call(stuck.event).communicator->wait(stuck.ticket, Clock::duration::zero());
  } catch (const TimedOut& error) {
    throw TimedOut(fmt::format("{} ({}): {}", text, error.what(), remedy), error.is_told());
  }
  throw TimedOut(fmt::format("{}: {}", text, remedy));
}

void Player::begin(int event, double ready_us) {
  const auto i = static_cast<std::size_t>(event);
  const auto& what = trace_.events[i];
  line_.begin_us[i] = ready_us;
  if (is_call(what)) {
    if (order_.empty()) return start(event);
    held_.insert(event);
    while (started_ < order_.size() && held_.erase(order_[started_]) > 0) start(order_[started_++]);
  } else if (computes(what)) {
    computations_.push_back({event, ready_us + durations_us_[i], {}, durations_us_[i]});
    if (gpu_ != nullptr) gpu_->begin(what.stream, computations_.back().end_us - elapsed_us());
  } else {
    ended_.emplace_back(event, ready_us);
  }
}

void Player::start(int event) {
  const auto& call = channels_.call(event);
  line_.begin_us[static_cast<std::size_t>(event)] = elapsed_us();
  calls_.push_back({event, 0, call.communicator->start(call.operation, call.buffers)});
}

void Player::complete(int event, double end_us) {
  ended_.emplace_back(event, end_us);
  settle();
}

void Player::settle() {
  while (!ended_.empty()) {
    const auto [event, end_us] = ended_.back();
    ended_.pop_back();
    line_.end_us[static_cast<std::size_t>(event)] = end_us;
    --left_;
    for (const int next : frees_[static_cast<std::size_t>(event)]) {
      const auto n = static_cast<std::size_t>(next);
      ready_us_[n] = std::max(ready_us_[n], end_us);
      if (--missing_[n] == 0) begin(next, ready_us_[n]);
    }
  }
}

bool Player::complete_computations(double now_us) {
  for (std::size_t i = 0; i < computations_.size(); ++i) {
    const auto ended = computations_[i];
    const int stream = trace_.events[static_cast<std::size_t>(ended.event)].stream;
    const bool is_over = gpu_ != nullptr    ? gpu_->is_over(stream)
                         : core_ != nullptr ? ended.work_us <= 0
                                            : ended.end_us <= now_us;
    if (!is_over) continue;
    computations_.erase(computations_.begin() + static_cast<std::ptrdiff_t>(i));
    complete(ended.event, gpu_ != nullptr || core_ != nullptr ? elapsed_us() : ended.end_us);
    return true;
  }
  return false;
}

bool Player::complete_calls() {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    auto& communicator = *channels_.call(calls_[i].event).communicator;
    communicator.progress();
    if (!communicator.test(calls_[i].ticket)) continue;
    const int event = calls_[i].event;
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    complete(event, elapsed_us());
    return true;
  }
  return false;
}

void Player::let_time_pass(double now_us) {
  if (computations_.empty() && calls_.size() == 1) {
    // Only one call is left, so its communicator can wait for it.
    const auto& last = calls_.front();
    return channels_.call(last.event).communicator->wait(last.ticket, patience_);
  }
  if (core_ != nullptr && !computations_.empty()) {
    auto& first = computations_.front();
    const double part_us = std::min(first.work_us, longest_work_us);
    core_->work(part_us);
    first.work_us -= part_us;
  }
  if (compute_mode_ != ComputeMode::asleep || computations_.empty()) {
    // A peer that is behind may still need progress on calls that are already complete here.
    for (const auto& communicator : channels_.communicators()) communicator->progress();
    if (compute_mode_ == ComputeMode::asleep) std::this_thread::yield();
    return;
  }
  double next_us = std::numeric_limits<double>::infinity();
  for (const auto& each : computations_)
    next_us = std::min(next_us, each.end_us + quiet_us_[static_cast<std::size_t>(each.event)]);
  const double nap_us = next_us - now_us - wake_early_us;
  if (nap_us <= 0) return;
  const double most_us = calls_.empty() ? longest_idle_nap_us : longest_nap_us;
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(std::min(nap_us, most_us)));
  if (calls_.empty()) {
    for (const auto& communicator : channels_.communicators()) communicator->progress();
  }
}

}  // namespace ringmark::replay
