#include "transports/nccl/nccl_comm.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "transports/nccl/nccl_start.hpp"

namespace ringmark {

NcclComm::NcclComm(NcclRuntime& runtime, NcclGraphs& graphs, int rank, int size, NcclPeers peers)
    : NcclComm(runtime, graphs, nullptr, rank, size, std::move(peers)) {
  is_group_ = false;
  connect();
}

NcclComm::NcclComm(NcclRuntime& runtime, NcclGraphs& graphs, nccl::Comm group, int rank, int size, NcclPeers peers)
    : runtime_(runtime),
      graphs_(graphs),
      rank_(rank),
      size_(size),
      peers_(std::move(peers)),
      comm_(group),
      registrations_(runtime, peers_.timeout) {
  runtime_.add(this, [this] { abandon(); });
}

NcclComm::~NcclComm() {
  // Other ranks may have exited, and NCCL would wait for them.
  if (std::uncaught_exceptions() > 0) abandon();
  runtime_.remove(this);
  const auto guard = bounded("ncclCommDestroy");
  graphs_.drop();
  if (comm_ != nullptr) {
    registrations_.remove_all(comm_);
    runtime_.api().comm_destroy(comm_);
  }
}

Watchdog::Guard NcclComm::bounded(const char* call) const {
  return runtime_.watchdog().guard(call, Deadline::after(peers_.timeout), exit_failed);
}

void NcclComm::connect() {
  const auto id = identifier_of_communicator(runtime_, rank_, peers_);
  nccl::Config config;
  // A non-blocking communicator starts a thread for every operation, which would distort timings.
  config.blocking = 1;
  try {
    const auto guard = bounded("ncclCommInitRank");
    require(runtime_.api().comm_init_rank_config(&comm_, size_, id, rank_, &config), "starting NCCL");
  } catch (const NcclRefused& refused) {
    const auto warnings = runtime_.hear().warnings;
    // NCCL's last error is often the last warning of its log.
    const bool is_new = !warnings.empty() && refused.last_error().find(warnings.back()) == std::string::npos;
    throw Unusable(is_new ? fmt::format("{}; its log: {}", refused.what(), warnings.back()) : refused.what());
  }
  require(registrations_.add_all(comm_), registrations_.call());
}

void NcclComm::reconnect() {
  try {
    connect();
  } catch (const Unusable& error) {
    throw TransportError(error.what());  // not Unusable: NCCL worked until now
  }
}

nccl::Comm NcclComm::split_off(std::span<const int> ranks, int own) {
  const auto& api = runtime_.api();
  if (api.comm_split == nullptr)
    throw Unusable(
        fmt::format("NCCL {} cannot split communicators; use 2.18 or later", runtime_.library().version_text()));
  nccl::Config config;
  config.blocking = 1;
  nccl::Comm group = nullptr;
  const auto guard = bounded("ncclCommSplit");
  require(api.comm_split(comm_, ranks.front(), own, &group, &config), "ncclCommSplit");
  return group;
}

void NcclComm::keep(std::span<std::byte> memory) { require(registrations_.add(comm_, memory), registrations_.call()); }

void NcclComm::require(nccl::Result result, std::string_view call) {
  if (result == nccl::success) return;
  const auto text = fmt::format("{} failed: {}", call, runtime_.words(result, comm_));
  auto last_error = runtime_.last_error(comm_);
  abandon();
  if (result == nccl::remote_error) look_for_who_is_lost();
  throw NcclRefused(result, std::move(last_error), text);
}

void NcclComm::check() {
  nccl::Result error = nccl::success;
  runtime_.api().comm_get_async_error(comm_, &error);
  if (error != nccl::success && error != nccl::in_progress) {
    const auto text = fmt::format("NCCL failed: {}", runtime_.words(error, comm_));
    runtime_.abort_all();
    look_for_who_is_lost();
    throw TransportError(text);
  }
  constexpr unsigned checks_between_looks = 256;
  if (++checks_ % checks_between_looks != 0) return;
  try {
    peers_.look_around();
  } catch (...) {
    runtime_.abort_all();
    throw;
  }
}

/// NCCL may notice a loss before our own connections do, but does not know which rank is lost.
void NcclComm::look_for_who_is_lost() const {
  constexpr std::chrono::milliseconds soon_enough{500}, pause{5};
  for (const auto until = Deadline::after(soon_enough); !until.passed(); std::this_thread::sleep_for(pause))
    peers_.look_around();
}

void NcclComm::abandon() noexcept {
  if (comm_ == nullptr) return;
  const auto guard = bounded("ncclCommAbort");
  graphs_.drop();  // ending a communicator waits until its graphs are destroyed
  runtime_.api().comm_abort(comm_);
  comm_ = nullptr;
  registrations_.lose_handles();
}

}  // namespace ringmark
