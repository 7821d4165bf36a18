#include "transports/nccl/nccl_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <sched.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "transports/nccl/calls.hpp"
#include "transports/nccl/nccl_start.hpp"

namespace ringmark {
namespace {

/// NCCL refused a call.
class Refused final : public TransportError {
 public:
  Refused(nccl::Result result, std::string last_error, const std::string& text)
      : TransportError(text), result_(result), last_error_(std::move(last_error)) {}
  nccl::Result result() const { return result_; }
  /// NCCL's message; empty if it had none.
  const std::string& last_error() const { return last_error_; }

 private:
  nccl::Result result_;
  std::string last_error_;
};

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, int rank, int size, NcclPeers peers)
    : NcclCommunicator(std::move(runtime), nullptr, rank, size, std::move(peers)) {
  is_group_ = false;
  connect();
}

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, nccl::Comm comm, int rank, int size,
                                   NcclPeers peers)
    : runtime_(std::move(runtime)),
      rank_(rank),
      size_(size),
      peers_(std::move(peers)),
      comm_(comm),
      stream_(runtime_->cuda()),
      graphs_(runtime_->cuda(), stream_),
      marks_(runtime_->cuda(), stream_),
      begin_(runtime_->cuda(), true),
      end_(runtime_->cuda(), true),
      registrations_(*runtime_, peers_.timeout) {
  runtime_->add(this, [this] { abandon(); });
}

NcclCommunicator::~NcclCommunicator() {
  // Other ranks may be gone, and NCCL would wait for them.
  if (std::uncaught_exceptions() > 0) abandon();
  runtime_->remove(this);
  const auto guard = bounded("ncclCommDestroy");
  graphs_.drop();
  if (comm_ != nullptr) {
    registrations_.remove_all(comm_);
    runtime_->api().comm_destroy(comm_);
  }
}

Watchdog::Guard NcclCommunicator::bounded(const char* call) const {
  return runtime_->watchdog().guard(call, Deadline::after(peers_.timeout), exit_failed);
}

void NcclCommunicator::connect() {
  const auto id = identifier_of_communicator(*runtime_, rank_, peers_);
  nccl::Config config;
  // A non-blocking communicator starts a thread for every operation, which would distort timings.
  config.blocking = 1;
  try {
    const auto guard = bounded("ncclCommInitRank");
    require(runtime_->api().comm_init_rank_config(&comm_, size_, id, rank_, &config), "starting NCCL");
  } catch (const Refused& refused) {
    const auto warnings = runtime_->hear().warnings;
    // NCCL's last error is often the last warning of its log.
    const bool is_new = !warnings.empty() && refused.last_error().find(warnings.back()) == std::string::npos;
    throw Unusable(is_new ? fmt::format("{}; its log: {}", refused.what(), warnings.back()) : refused.what());
  }
  require(registrations_.add_all(comm_), registrations_.call());
}

std::optional<std::string> NcclCommunicator::why_unsupported(const Operation& operation, bool in_place) const {
  if (const char* reason = why_not_in_place(operation.collective); in_place && reason != nullptr) return reason;
  return std::nullopt;
}

std::optional<std::string> NcclCommunicator::try_out(const Operation& operation, Buffers buffers,
                                                     Clock::duration patience) {
  const TriedKey key{operation, is_in_place(operation, buffers, rank_)};
  auto found = tried_.find(key);
  if (found == tried_.end()) {
    Tried tried;
    runtime_->hear();  // discards lines that were logged before this operation
    runtime_->log().listen(true);
    try {
      run(operation, buffers, patience);
    } catch (const Refused& refused) {
      // Our arguments are valid, so this library or GPU lacks the type or the reduction.
      const bool is_refusal = refused.result() == nccl::invalid_usage || refused.result() == nccl::invalid_argument;
      if (!is_refusal || is_group_) throw;
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

/// After a refusal the communicator cannot be used any more.
void NcclCommunicator::reconnect() {
  try {
    connect();
  } catch (const Unusable& error) {
    throw TransportError(error.what());  // not Unusable: it worked until now
  }
}

Choice NcclCommunicator::choice_for(const Operation& operation, bool in_place) const {
  const auto found = tried_.find({operation, in_place});
  return found == tried_.end() ? Choice{} : found->second.choice;
}

void NcclCommunicator::keep(std::span<std::byte> memory) {
  require(registrations_.add(comm_, memory), registrations_.call());
}

void NcclCommunicator::forget(std::span<std::byte> memory) { registrations_.remove(comm_, memory); }

nccl::Result NcclCommunicator::issue(const Operation& operation, Buffers buffers) {
  return call_nccl(runtime_->api(), operation, buffers, {rank_, size_}, comm_, stream_.get());
}

/// With graphs, the first launch of an operation is a plain one: it makes connections and their memory, which a graph
/// must not capture.
void NcclCommunicator::launch(const Operation& operation, Buffers buffers) {
  // The first launch of a kind connects, which needs the other ranks; any launch waits if the device's queue is full.
  const auto guard = bounded("a launch by NCCL");
  if (graphs_.launch(operation, buffers)) return;
  const auto issued = [&] { return issue(operation, buffers); };
  require(issued(), name(operation.collective));
  if (runtime_->options().graph) require(graphs_.capture(operation, buffers, issued), name(operation.collective));
}

void NcclCommunicator::require(nccl::Result result, std::string_view what) {
  if (result == nccl::success) return;
  const auto text = fmt::format("{} failed: {}", what, runtime_->words(result, comm_));
  auto last_error = runtime_->last_error(comm_);
  abandon();
  if (result == nccl::remote_error) look_for_who_is_lost();
  throw Refused(result, std::move(last_error), text);
}

/// NCCL advances by itself. This checks whether it failed, and now and then whether all ranks are there.
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
    peers_.look_around();
  } catch (...) {
    runtime_->abort_all();
    throw;
  }
}

template <class IsDone>
void NcclCommunicator::await(IsDone is_done, Clock::duration patience) {
  auto oldest = marks_.oldest();
  auto deadline = Deadline::after(patience);
  while (!is_done()) {
    progress();
    if (oldest != marks_.oldest()) {
      oldest = marks_.oldest();
      deadline = Deadline::after(patience);  // an earlier operation has ended
    }
    if (deadline.passed()) {
      runtime_->abort_all();
      throw TimedOut(
          fmt::format("timed out waiting for a collective of NCCL: nothing ended within {} s (--timeout); "
                      "NCCL_DEBUG=INFO shows more",
                      std::chrono::duration<double>(patience).count()));
    }
    ::sched_yield();
  }
}

/// NCCL may notice a loss before our own connections do, but not which rank is lost.
void NcclCommunicator::look_for_who_is_lost() const {
  constexpr std::chrono::milliseconds soon_enough{500}, pause{5};
  for (const auto until = Deadline::after(soon_enough); !until.passed(); std::this_thread::sleep_for(pause))
    peers_.look_around();
}

void NcclCommunicator::abandon() noexcept {
  if (comm_ == nullptr) return;
  const auto guard = bounded("ncclCommAbort");
  graphs_.drop();  // a communicator waits until its graphs are gone
  runtime_->api().comm_abort(comm_);
  comm_ = nullptr;
  registrations_.lose_handles();
}

Ticket NcclCommunicator::start(const Operation& operation, Buffers buffers) {
  if (const auto reason = why_unsupported(operation, is_in_place(operation, buffers, rank_))) throw BadUsage(*reason);
  launch(operation, buffers);
  return mark();
}

/// A ticket for everything enqueued so far.
Ticket NcclCommunicator::mark() {
  const auto guard = bounded("a mark");
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

/// Waits like nccl-tests, until the stream is idle. Marks renew the patience. They follow each long operation, or up to
/// a thousand short ones, so that they cost a thousandth at most, and come at least ten times within the patience.
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
        marks_.are_over();  // so that each that has ended renews the patience
        return stream_.is_idle();
      },
      patience);
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
      new NcclCommunicator(runtime_, group, own, static_cast<int>(ranks.size()), peers_));
}

}  // namespace ringmark
