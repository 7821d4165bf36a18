#include "replay/run/channels.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/harness/algorithm_trial.hpp"
#include "bench/harness/checked_buffers.hpp"

namespace ringmark::replay {
namespace {

const Group& group_of(const StepTrace& trace, const Channel& channel) {
  return trace.groups[static_cast<std::size_t>(channel.group)];
}

}  // namespace

Channels::Channels(const StepTrace& trace, std::unique_ptr<Communicator> world, Deadline deadline) {
  const int ranks = world->size(), rank = world->rank();
  check_groups(trace, ranks);
  communicators_.resize(trace.channels.size());
  std::optional<std::size_t> of_all;
  for (std::size_t c = 0; c < trace.channels.size(); ++c) {
    const auto& group = group_of(trace, trace.channels[c]);
    if (!of_all && group.kind == Group::Kind::world) {
      of_all = c;
    } else {
      communicators_[c] = world->split(group.members(rank, ranks), deadline);
    }
  }
  if (of_all) communicators_[*of_all] = std::move(world);
  make_calls(trace);
}

void Channels::make_calls(const StepTrace& trace) {
  std::vector<Needs> needs(trace.channels.size());
  calls_.resize(trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (!is_call(event)) continue;
    const auto channel = static_cast<std::size_t>(event.channel);
    auto& communicator = *communicators_[channel];
    const auto operation = operation_of(event, communicator.size());
    const bool in_place = !communicator.why_unsupported(operation, true);
    if (!in_place) {
      if (const auto reason = communicator.why_unsupported(operation, false))
        throw Unusable(
            fmt::format("event {}, {} of {} {}: {}", i, call_name(event), event.elements, name(event.type), *reason));
    }
    const auto layout = layout_of(operation, communicator.size(), communicator.rank());
    auto& need = needs[channel];
    const bool sends_more = sends_all_blocks(operation.collective);
    if (!in_place || sends_more) need.send_bytes = std::max(need.send_bytes, layout.send_bytes);
    if (!in_place || !sends_more) need.recv_bytes = std::max(need.recv_bytes, layout.recv_bytes);
    calls_[i] = Call{&communicator, operation, {}, in_place, event.channel};
  }
  for (std::size_t c = 0; c < needs.size(); ++c) {
    auto& communicator = *communicators_[c];
    buffers_.push_back(std::make_unique<RunBuffers>(communicator.memory(), needs[c].send_bytes, needs[c].recv_bytes));
    for (const auto span : buffers_.back()->spans()) {
      kept_.push_back(std::make_unique<KeptMemory>(communicator, span));
    }
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (!calls_[i]) continue;
    auto& call = *calls_[i];
    const auto channel = static_cast<std::size_t>(trace.events[i].channel);
    call.buffers = buffers_[channel]->get(call.operation, call.communicator->rank(), call.in_place);
  }
  fill_with_zeros();
}

/// Zeros stay zeros however often they are summed, so no sum becomes a subnormal number, which would be slow.
void Channels::fill_with_zeros() {
  const auto& memory = communicators_.front()->memory();
  const bool is_host = memory.kind() == MemoryKind::host;
  const std::vector<std::byte> zeros(is_host ? 0 : 16U << 20U);
  for (const auto& buffers : buffers_) {
    for (const auto span : buffers->spans()) {
      if (is_host) std::fill(span.begin(), span.end(), std::byte{});
      for (std::size_t at = 0; !is_host && at < span.size(); at += zeros.size())
        memory.copy(span.data() + at, zeros.data(), std::min(zeros.size(), span.size() - at));
    }
  }
}

std::vector<const Channels::Call*> Channels::different_calls() const {
  using Key = std::tuple<Communicator*, Collective, DataType, ReduceOp, std::size_t, int, Pattern, const BlockCounts*>;
  std::set<Key> seen;
  std::vector<const Call*> calls;
  for (const auto& call : calls_) {
    if (!call) continue;
    const auto& o = call->operation;
    if (seen.emplace(call->communicator, o.collective, o.type, o.op, o.count, o.root, o.pattern, o.counts.get()).second)
      calls.push_back(&*call);
  }
  std::stable_sort(calls.begin(), calls.end(), [](const auto* a, const auto* b) { return a->channel < b->channel; });
  return calls;
}

void Channels::settle_algorithms(Control& control, std::chrono::duration<double> limit, Clock::duration patience) {
  const auto calls = different_calls();
  for (const auto* call : calls) {
    try_algorithms(*call->communicator, control, call->operation, call->buffers,
                   limit / static_cast<double>(calls.size()), patience);
  }
  fill_with_zeros();
}

void Channels::connect(Clock::duration patience) {
  for (const auto* call : different_calls()) call->communicator->run(call->operation, call->buffers, patience);
}

std::uint64_t Channels::prepare(bool check, Clock::duration patience) {
  std::uint64_t wrong = 0;
  for (const auto* call : different_calls()) {
    const auto& o = call->operation;
    if (auto* device = call->communicator->device()) {
      if (const auto reason = device->try_out(o, call->buffers, patience))
        throw Unusable(fmt::format("{} of {} {}: {}", name(o.collective), o.count, name(o.type), *reason));
    }
    if (!check || !has_exact_result(o, call->communicator->size(), call->communicator->rounds_averages())) continue;
    CheckedBuffers buffers(call->communicator->memory(), o, call->buffers, call->communicator->rank(),
                           call->communicator->size());
    buffers.poison();
    buffers.fill();
    call->communicator->run(o, call->buffers, patience);
    wrong += buffers.count_wrong();
  }
  fill_with_zeros();
  return wrong;
}

double Channels::host_bytes(const StepTrace& trace, int ranks, MemoryKind buffers) {
  std::vector<std::size_t> largest(trace.channels.size());
  for (const auto& event : trace.events) {
    if (!is_call(event)) continue;
    const auto& group = trace.group_of(event);
    auto& most = largest[static_cast<std::size_t>(event.channel)];
    most = std::max(most, largest_buffer_bytes(operation_of(event, group.size(ranks)), group.size(ranks)));
  }
  // For device memory: a host copy of one buffer while its content is checked.
  if (buffers != MemoryKind::host)
    return largest.empty() ? 0 : static_cast<double>(*std::max_element(largest.begin(), largest.end()));
  // Send and receive buffers need two blocks where they are not in place.
  double sum = 0;
  for (const auto bytes : largest) sum += 2 * static_cast<double>(bytes);
  return sum;
}

}  // namespace ringmark::replay
