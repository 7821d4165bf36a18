#include "transports/nccl/nccl_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <sched.h>

#include "transports/errors.hpp"
#include "transports/exit_status.hpp"

namespace ringmark {
namespace {

/// NCCL's answer to what it was asked, if that is no.
class Refused final : public TransportError {
 public:
  Refused(nccl::Result result, const std::string& text) : TransportError(text), result_(result) {}
  nccl::Result result() const { return result_; }

 private:
  nccl::Result result_;
};

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, int rank, int size, NcclCompany company)
    : runtime_(std::move(runtime)), rank_(rank), size_(size), company_(std::move(company)) {
  make_stream();
  connect();
}

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, nccl::Comm comm, int rank, int size,
                                   NcclCompany company)
    : runtime_(std::move(runtime)),
      rank_(rank),
      size_(size),
      company_(std::move(company)),
      is_group_(true),
      comm_(comm) {
  make_stream();
}

void NcclCommunicator::make_stream() {
  const auto& cuda = runtime_->cuda();
  runtime_->require_cuda(cuda.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate");
  runtime_->require_cuda(cuda.event_create(&begin_, 0), "cuEventCreate");
  runtime_->require_cuda(cuda.event_create(&end_, 0), "cuEventCreate");
  runtime_->add(this, [this] { abandon(); });
}

NcclCommunicator::~NcclCommunicator() {
  const auto& cuda = runtime_->cuda();
  // Others may be gone, and NCCL would wait for them.
  if (std::uncaught_exceptions() > 0) abandon();
  runtime_->remove(this);
  drop_graphs();
  if (comm_ != nullptr) {
    for (auto& kept : kept_) unregister_memory(kept);
    const auto guard = bounded("ncclCommDestroy");
    runtime_->api().comm_destroy(comm_);
  }
  for (const auto& started : started_) spare_events_.push_back(started.event);
  for (const auto event : spare_events_) cuda.event_destroy(event);
  cuda.event_destroy(begin_);
  cuda.event_destroy(end_);
  cuda.stream_destroy(stream_);
}

Watchdog::Guard NcclCommunicator::bounded(const char* call) const {
  return runtime_->watchdog().guard(call, Deadline::after(company_.timeout), exit_failed);
}

void NcclCommunicator::drop_graphs() {
  for (const auto& [key, graph] : graphs_) runtime_->cuda().graph_exec_destroy(graph);
  graphs_.clear();
}

void NcclCommunicator::connect() {
  nccl::UniqueId id{};
  std::string mine;
  if (rank_ == 0) {
    const auto result = runtime_->api().get_unique_id(&id);
    mine = result == nccl::success ? std::string(id.bytes, sizeof id.bytes)
                                   : fmt::format("NCCL cannot start: {}", runtime_->words(result, nullptr));
  }
  const auto told = company_.tell(mine);
  if (told.size() != sizeof id.bytes) throw Unusable(told);
  std::memcpy(id.bytes, told.data(), sizeof id.bytes);
  nccl::Config config;
  // A non-blocking communicator hands every operation to a thread that it makes for that: nothing to be timed.
  config.blocking = 1;
  try {
    const auto guard = bounded("ncclCommInitRank");
    require(runtime_->api().comm_init_rank_config(&comm_, size_, id, rank_, &config), "starting NCCL");
  } catch (const Refused& refused) {
    const auto warnings = runtime_->hear().warnings;
    throw Unusable(fmt::format("{}{}", refused.what(), warnings.empty() ? "" : "; its log: " + warnings.back()));
  }
  for (auto& kept : kept_) register_memory(kept);
}

std::optional<std::string> NcclCommunicator::why_unsupported(const Operation& operation, bool in_place) const {
  if (in_place && operation.collective == Collective::all_to_all)
    return "all_to_all cannot run in place: blocks would be overwritten before they are sent";
  return std::nullopt;
}

std::optional<std::string> NcclCommunicator::try_out(const Operation& operation, Buffers buffers,
                                                     Clock::duration patience) {
  const TriedKey key{operation.collective, operation.type, operation.op, operation.count,
                     is_in_place(operation, buffers, rank_)};
  auto found = tried_.find(key);
  if (found == tried_.end()) {
    Tried tried;
    runtime_->hear();  // what was logged before is none of this operation's
    runtime_->log().listen(true);
    try {
      run(operation, buffers, patience);
    } catch (const Refused& refused) {
      if (refused.result() != nccl::invalid_usage || is_group_) throw;
      const auto warnings = runtime_->hear().warnings;
      tried.refusal = fmt::format("NCCL refuses it: {}", warnings.empty() ? refused.what() : warnings.back());
      reconnect();
    }
    runtime_->log().listen(false);
    if (const auto said = runtime_->hear().choice) tried.choice = {said->algorithm, said->protocol, said->channels};
    found = tried_.emplace(key, std::move(tried)).first;
  }
  return found->second.refusal.empty() ? std::nullopt : std::optional(found->second.refusal);
}

/// After a refusal the communicator is of no use any more.
void NcclCommunicator::reconnect() {
  try {
    connect();
  } catch (const Unusable& error) {
    throw TransportError(error.what());  // it was usable until now
  }
}

Choice NcclCommunicator::choice_for(const Operation& operation) const {
  for (const bool in_place : {false, true}) {
    const auto found = tried_.find({operation.collective, operation.type, operation.op, operation.count, in_place});
    if (found != tried_.end()) return found->second.choice;
  }
  return {};
}

void NcclCommunicator::keep(std::span<std::byte> memory) {
  kept_.push_back({memory, nullptr});
  register_memory(kept_.back());
}

void NcclCommunicator::forget(std::span<std::byte> memory) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.memory.data() == memory.data(); });
  if (found == kept_.end()) return;
  if (comm_ != nullptr) unregister_memory(*found);
  kept_.erase(found);
}

void NcclCommunicator::register_memory(Kept& kept) {
  const auto& api = runtime_->api();
  if (kept.memory.empty()) return;
  const auto guard = bounded("registering memory with NCCL");
  if (runtime_->options().buffer == NcclBuffer::registered) {
    require(api.comm_register(comm_, kept.memory.data(), kept.memory.size(), &kept.handle), "ncclCommRegister");
  } else if (runtime_->options().buffer == NcclBuffer::window) {
    require(api.window_register(comm_, kept.memory.data(), kept.memory.size(), &kept.handle, nccl::window_symmetric),
            "ncclCommWindowRegister");
    runtime_->window_is_void = runtime_->window_is_void || kept.handle == nullptr;
  }
}

void NcclCommunicator::unregister_memory(Kept& kept) {
  const auto& api = runtime_->api();
  if (kept.handle == nullptr) return;
  if (runtime_->options().buffer == NcclBuffer::window) {
    api.window_deregister(comm_, kept.handle);
  } else {
    api.comm_deregister(comm_, kept.handle);
  }
  kept.handle = nullptr;
}

nccl::Result NcclCommunicator::issue(const Operation& operation, Buffers buffers) {
  const auto& api = runtime_->api();
  const auto guard = bounded("a call of NCCL");  // the first of its kind connects, which takes the others too
  const int type = nccl_number(operation.type), op = nccl_number(operation.op);
  const auto count = operation.count;
  switch (operation.collective) {
    case Collective::all_reduce:
      return api.all_reduce(buffers.send, buffers.recv, count, type, op, comm_, stream_);
    case Collective::reduce_scatter:
      return api.reduce_scatter(buffers.send, buffers.recv, count, type, op, comm_, stream_);
    case Collective::all_gather:
      return api.all_gather(buffers.send, buffers.recv, count, type, comm_, stream_);
    case Collective::reduce:
      return api.reduce(buffers.send, buffers.recv, count, type, op, operation.root, comm_, stream_);
    case Collective::broadcast:
      return api.broadcast(buffers.send, buffers.recv, count, type, operation.root, comm_, stream_);
    case Collective::all_to_all:
      break;
  }
  return issue_all_to_all(operation, buffers);
}

/// Before 2.28 NCCL has no call for it, and its guide does as here.
nccl::Result NcclCommunicator::issue_all_to_all(const Operation& operation, Buffers buffers) {
  const auto& api = runtime_->api();
  const int type = nccl_number(operation.type);
  if (api.all_to_all != nullptr)
    return api.all_to_all(buffers.send, buffers.recv, operation.count, type, comm_, stream_);
  const auto block = operation.count * size_bytes(operation.type);
  auto result = api.group_start();
  for (int peer = 0; peer < size_ && result == nccl::success; ++peer) {
    const auto offset = static_cast<std::size_t>(peer) * block;
    result =
        api.send(static_cast<const std::byte*>(buffers.send) + offset, operation.count, type, peer, comm_, stream_);
    if (result == nccl::success)
      result = api.recv(static_cast<std::byte*>(buffers.recv) + offset, operation.count, type, peer, comm_, stream_);
  }
  const auto ended = api.group_end();
  return result == nccl::success ? ended : result;
}

/// Nothing runs, and what was enqueued before goes on.
cuda::GraphExec NcclCommunicator::capture(const Operation& operation, Buffers buffers) {
  const auto& cuda = runtime_->cuda();
  runtime_->require_cuda(cuda.stream_begin_capture(stream_, cuda::capture_thread_local), "cuStreamBeginCapture");
  const auto result = issue(operation, buffers);
  cuda::Graph graph = nullptr;
  const auto ended = cuda.stream_end_capture(stream_, &graph);
  require(result, name(operation.collective));
  runtime_->require_cuda(ended, "cuStreamEndCapture");
  cuda::GraphExec exec = nullptr;
  const auto made = cuda.graph_instantiate(&exec, graph, 0);
  cuda.graph_destroy(graph);
  runtime_->require_cuda(made, "cuGraphInstantiate");
  return exec;
}

/// With graphs the first time is a plain one: connections are made then, and memory for them, which no graph may hold.
void NcclCommunicator::launch(const Operation& operation, Buffers buffers) {
  const GraphKey key{operation.collective, operation.type, operation.op, operation.count,
                     operation.root,       buffers.send,   buffers.recv};
  if (const auto found = graphs_.find(key); found != graphs_.end()) {
    runtime_->require_cuda(runtime_->cuda().graph_launch(found->second, stream_), "cuGraphLaunch");
    return;
  }
  require(issue(operation, buffers), name(operation.collective));
  if (runtime_->options().graph) graphs_.emplace(key, capture(operation, buffers));
}

void NcclCommunicator::require(nccl::Result result, std::string_view what) {
  if (result == nccl::success) return;
  const auto text = fmt::format("{} failed: {}", what, runtime_->words(result, comm_));
  abandon();
  if (result == nccl::remote_error) look_for_who_is_lost();
  throw Refused(result, text);
}

/// NCCL needs none: it is asked whether it failed, and now and then it is seen whether all are there.
void NcclCommunicator::progress() {
  nccl::Result error = nccl::success;
  runtime_->api().comm_get_async_error(comm_, &error);
  if (error != nccl::success && error != nccl::in_progress) {
    const auto text = fmt::format("NCCL failed: {}", runtime_->words(error, comm_));
    runtime_->abort_all();
    look_for_who_is_lost();
    throw TransportError(text);
  }
  constexpr unsigned turns_between_looks = 256;
  if (++turns_ % turns_between_looks != 0) return;
  try {
    company_.look_around();
  } catch (...) {
    runtime_->abort_all();
    throw;
  }
}

template <class IsDone>
void NcclCommunicator::await(IsDone is_done, Deadline deadline) {
  while (!is_done()) {
    progress();
    if (deadline.passed()) {
      runtime_->abort_all();
      throw TimedOut("timed out waiting for a collective of NCCL");
    }
    ::sched_yield();
  }
}

/// NCCL may know of a loss before our own connections do, but not whose.
void NcclCommunicator::look_for_who_is_lost() const {
  constexpr std::chrono::milliseconds soon_enough{500}, pause{5};
  for (const auto until = Deadline::after(soon_enough); !until.passed(); std::this_thread::sleep_for(pause))
    company_.look_around();
}

bool NcclCommunicator::is_over(cuda::Event event) const {
  const auto result = runtime_->cuda().event_query(event);
  if (result == cuda::not_ready) return false;
  runtime_->require_cuda(result, "a collective of NCCL");
  return true;
}

void NcclCommunicator::abandon() noexcept {
  if (comm_ == nullptr) return;
  drop_graphs();  // it waits for them to be gone
  const auto guard = bounded("ncclCommAbort");
  runtime_->api().comm_abort(comm_);
  comm_ = nullptr;
  for (auto& kept : kept_) kept.handle = nullptr;
}

cuda::Event NcclCommunicator::take_event() {
  if (spare_events_.empty()) {
    cuda::Event event = nullptr;
    runtime_->require_cuda(runtime_->cuda().event_create(&event, cuda::event_without_timing), "cuEventCreate");
    return event;
  }
  const auto event = spare_events_.back();
  spare_events_.pop_back();
  return event;
}

Ticket NcclCommunicator::start(const Operation& operation, Buffers buffers, std::span<const Dependency> after) {
  if (const auto reason = why_unsupported(operation, is_in_place(operation, buffers, rank_))) throw BadUsage(*reason);
  const auto& cuda = runtime_->cuda();
  for (const auto& first : after) {
    auto* other = dynamic_cast<NcclCommunicator*>(first.communicator);
    if (other == nullptr) throw BadUsage("NCCL cannot wait for an operation of another transport");
    if (other->test(first.ticket)) continue;
    const auto found = std::find_if(other->started_.begin(), other->started_.end(),
                                    [&](const auto& started) { return started.number == first.ticket.number; });
    runtime_->require_cuda(cuda.stream_wait_event(stream_, found->event, 0), "cuStreamWaitEvent");
  }
  launch(operation, buffers);
  const auto event = take_event();
  runtime_->require_cuda(cuda.event_record(event, stream_), "cuEventRecord");
  started_.push_back({++last_ticket_, event});
  return {last_ticket_};
}

bool NcclCommunicator::test(Ticket ticket) {
  while (!started_.empty() && started_.front().number <= ticket.number && is_over(started_.front().event)) {
    spare_events_.push_back(started_.front().event);
    started_.pop_front();
  }
  return started_.empty() || started_.front().number > ticket.number;
}

void NcclCommunicator::wait(Ticket ticket, Clock::duration patience) {
  await([&] { return test(ticket); }, Deadline::after(patience));
}

void NcclCommunicator::run(const Operation& operation, Buffers buffers, Clock::duration patience) {
  const auto& cuda = runtime_->cuda();
  const auto deadline = Deadline::after(patience);
  const auto begin = Clock::now();
  cuda.event_record(begin_, stream_);
  launch(operation, buffers);
  const auto issued = Clock::now();
  runtime_->require_cuda(cuda.event_record(end_, stream_), "cuEventRecord");
  await([&] { return is_over(end_); }, deadline);
  float device_ms = 0;
  runtime_->require_cuda(cuda.event_elapsed_time(&device_ms, begin_, end_), "cuEventElapsedTime");
  last_launch_ = {microseconds(issued - begin), static_cast<double>(device_ms) * 1000};
}

std::unique_ptr<Communicator> NcclCommunicator::split(std::span<const int> ranks, Deadline) {
  const auto& api = runtime_->api();
  if (api.comm_split == nullptr)
    throw Unusable(
        fmt::format("NCCL {} cannot split communicators, 2.18 and later can", runtime_->library().version_text()));
  nccl::Config config;
  config.blocking = 1;
  nccl::Comm group = nullptr;
  const auto guard = bounded("ncclCommSplit");
  const auto own = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
  require(api.comm_split(comm_, ranks.front(), own, &group, &config), "ncclCommSplit");
  return std::unique_ptr<Communicator>(
      new NcclCommunicator(runtime_, group, own, static_cast<int>(ranks.size()), company_));
}

}  // namespace ringmark
