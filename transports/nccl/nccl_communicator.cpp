#include "transports/nccl/nccl_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "base/errors.hpp"
#include "transports/nccl/calls.hpp"

namespace ringmark {
namespace {

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, int rank, int size, NcclPeers peers)
    : runtime_(std::move(runtime)), comm_(*runtime_, graphs_, rank, size, std::move(peers)) {}

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, nccl::Comm group, int rank, int size,
                                   NcclPeers peers)
    : runtime_(std::move(runtime)), comm_(*runtime_, graphs_, group, rank, size, std::move(peers)) {}

std::optional<std::string> NcclCommunicator::why_unsupported(const Operation& operation, bool in_place) const {
  if (const char* reason = why_not_in_place(operation.collective); in_place && reason != nullptr) return reason;
  return std::nullopt;
}

std::optional<std::string> NcclCommunicator::try_out(const Operation& operation, Buffers buffers,
                                                     Clock::duration patience) {
  const TriedKey key{operation, is_in_place(operation, buffers, rank())};
  auto found = tried_.find(key);
  if (found == tried_.end()) {
    Tried tried;
    runtime_->hear();  // discards lines that were logged before this operation
    runtime_->log().listen(true);
    try {
      run(operation, buffers, patience);
    } catch (const NcclRefused& refused) {
      // Our arguments are valid, so this library or GPU lacks the type or the reduction.
      const bool is_refusal = refused.result() == nccl::invalid_usage || refused.result() == nccl::invalid_argument;
      if (!is_refusal || !comm_.can_reconnect()) throw;
      const auto warnings = runtime_->hear().warnings;
      tried.refusal =
          fmt::format("NCCL refuses the operation: {}", warnings.empty() ? refused.what() : warnings.back());
      comm_.reconnect();  // NCCL cannot use it after a refusal
    }
    runtime_->log().listen(false);
    if (const auto said = runtime_->hear().choice) tried.choice = {said->algorithm, said->protocol, said->channels};
    found = tried_.emplace(key, std::move(tried)).first;
  }
  return found->second.refusal.empty() ? std::nullopt : std::optional(found->second.refusal);
}

Choice NcclCommunicator::choice_for(const Operation& operation, bool in_place) const {
  const auto found = tried_.find({operation, in_place});
  return found == tried_.end() ? Choice{} : found->second.choice;
}

nccl::Result NcclCommunicator::issue(const Operation& operation, Buffers buffers) {
  return call_nccl(runtime_->api(), operation, buffers, {rank(), size()}, comm_.get(), stream_.get());
}

/// With graphs, the first launch of an operation is a plain one: it creates connections and their memory, which a graph
/// must not capture.
void NcclCommunicator::launch(const Operation& operation, Buffers buffers) {
  // The first launch of a kind connects, which needs the other ranks; any launch waits if the device's queue is full.
  const auto guard = comm_.bounded("a launch by NCCL");
  if (graphs_.launch(operation, buffers)) return;
  const auto issued = [&] { return issue(operation, buffers); };
  comm_.require(issued(), name(operation.collective));
  if (runtime_->options().graph) comm_.require(graphs_.capture(operation, buffers, issued), name(operation.collective));
}

template <class IsDone>
void NcclCommunicator::await(IsDone is_done, Clock::duration patience) {
  auto oldest = marks_.oldest();
  auto deadline = Deadline::after(patience);
  while (!is_done()) {
    comm_.check();
    if (oldest != marks_.oldest()) {
      oldest = marks_.oldest();
      deadline = Deadline::after(patience);  // an earlier operation has finished
    }
    if (deadline.passed()) {
      runtime_->abort_all();
      throw TimedOut(
          fmt::format("timed out waiting for an NCCL collective: nothing finished within {} s (--timeout); "
                      "NCCL_DEBUG=INFO shows more",
                      std::chrono::duration<double>(patience).count()));
    }
    ::sched_yield();
  }
}

Ticket NcclCommunicator::start(const Operation& operation, Buffers buffers) {
  if (const auto reason = why_unsupported(operation, is_in_place(operation, buffers, rank()))) throw BadUsage(*reason);
  launch(operation, buffers);
  return mark();
}

/// A ticket for everything enqueued so far.
Ticket NcclCommunicator::mark() {
  const auto guard = comm_.bounded("recording an event");
  return marks_.mark();
}

bool NcclCommunicator::test(Ticket ticket) { return marks_.is_over(ticket); }

void NcclCommunicator::wait(Ticket ticket, Clock::duration patience) {
  await([&] { return test(ticket); }, patience);
}

void NcclCommunicator::run(const Operation& operation, Buffers buffers, Clock::duration patience) {
  const auto begin = Clock::now();
  stream_.record(begin_);
  launch(operation, buffers);
  const auto issued = Clock::now();
  stream_.record(end_);
  await([&] { return end_.is_over(); }, patience);
  last_launch_ = {microseconds(issued - begin), end_.us_since(begin_)};
}

/// Waits until the stream is idle, as nccl-tests does. Every mark that finishes renews the patience. A mark follows
/// each long operation, or up to a thousand short ones: often enough for ten marks within the patience, and rarely
/// enough to cost little time.
void NcclCommunicator::run_batch(const Operation& operation, std::span<const Buffers> buffers,
                                 Clock::duration patience) {
  constexpr double most_operations = 1000, long_us = 1000, marks_per_patience = 10;
  const double took_us = last_launch_ ? std::max(1.0, last_launch_->device_us) : 1;
  const double by_patience = microseconds(patience) / marks_per_patience / took_us;
  const auto operations_per_mark =
      took_us >= long_us ? std::size_t{1} : static_cast<std::size_t>(std::clamp(by_patience, 1.0, most_operations));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    launch(operation, buffers[i]);
    if ((i + 1) % operations_per_mark == 0) mark();
  }
  await(
      [&] {
        marks_.are_over();  // detects finished marks, which renew the patience
        return stream_.is_idle();
      },
      patience);
}

std::unique_ptr<Communicator> NcclCommunicator::split(std::span<const int> ranks, Deadline) {
  const auto own = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank()) - ranks.begin());
  const auto group = comm_.split_off(ranks, own);
  return std::unique_ptr<Communicator>(
      new NcclCommunicator(runtime_, group, own, static_cast<int>(ranks.size()), comm_.peers()));
}

}  // namespace ringmark
