// A libnccl.so.2 over host memory, our schedules and loopback TCP, for tests of whole programs: it logs as NCCL 2.28
// does, refuses what NCCL refuses, and fails as FAKE_NCCL says: "hang:R" (rank R's third collective never begins),
// "error:R" (an asynchronous error there), "stuck_abort" (an abort that does not return), "init_hang". With
// FAKE_NCCL_OLD defined it is a 2.16, without what came later.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "tests/nvidia/fake_nccl_communicator.hpp"
#include "tests/nvidia/fake_nccl_log.hpp"

namespace {

using namespace ringmark;
using fake::Comm;
using nccl::Result;

/// Aborted ones stay: what is enqueued refers to them.
std::vector<std::unique_ptr<Comm>> all_comms;
std::mutex all_comms_mutex;
Comm* new_comm() {
  const std::lock_guard lock(all_comms_mutex);
  return all_comms.emplace_back(std::make_unique<Comm>()).get();
}

thread_local Comm* grouped = nullptr;
thread_local int group_depth = 0;

Comm* to_comm(nccl::Comm comm) { return static_cast<Comm*>(comm); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result ncclGetVersion(int* to) { return *to = fake::nccl_version, nccl::success; }
Result ncclGetUniqueId(nccl::UniqueId* id) {
  const auto port = fake::StarBootstrap::listen();
  std::memcpy(id->bytes, &port, sizeof port);
  return nccl::success;
}
Result ncclCommInitRankConfig(nccl::Comm* to, int size, nccl::UniqueId id, int rank, nccl::Config* config) {
  if (config->magic != 0xcafebeef) return nccl::invalid_argument;
  auto* comm = new_comm();
  comm->rank = rank;
  comm->size = size;
  std::uint16_t port = 0;
  std::memcpy(&port, id.bytes, sizeof port);
  const auto start = [comm, port] {
    try {
      return fake::start_comm(*comm, port);
    } catch (const std::exception&) {
      return Result{2};
    }
  };
  *to = comm;
  if (config->blocking == 1) {
    comm->state = start();
    if (comm->state == nccl::success) fake::tell_of_start(*comm);
    return comm->state;
  }
  std::packaged_task<Result()> task(start);
  comm->starting = task.get_future();
  std::thread(std::move(task)).detach();
  return nccl::in_progress;
}
Result ncclCommDestroy(nccl::Comm comm) {
  const std::lock_guard lock(all_comms_mutex);
  std::erase_if(all_comms, [&](const auto& each) { return each.get() == comm; });
  return nccl::success;
}
Result ncclCommAbort(nccl::Comm comm) {
  if (fake::fault().kind == "stuck_abort") std::this_thread::sleep_for(std::chrono::hours(1));
  to_comm(comm)->aborted = true;
  return nccl::success;
}
Result ncclCommGetAsyncError(nccl::Comm comm, Result* error) {
  return *error = fake::state_of(*to_comm(comm)), nccl::success;
}
const char* ncclGetErrorString(Result result) {
  switch (result) {
    case nccl::success:
      return "no error";
    case nccl::invalid_usage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case nccl::remote_error:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(nccl::Comm) { return fake::nccl_log().last_warning().c_str(); }
Result ncclGroupStart() { return ++group_depth, nccl::success; }
Result ncclGroupEnd() {
  if (--group_depth > 0 || grouped == nullptr) return nccl::success;
  return fake::enqueue_messages(*std::exchange(grouped, nullptr));
}
Result ncclSend(const void* buffer, std::size_t count, int type, int peer, nccl::Comm comm, void* stream) {
  if (group_depth == 0) return nccl::invalid_usage;
  grouped = to_comm(comm);
  grouped->messages.sends.push_back({peer, count, buffer});
  grouped->messages.type = type, grouped->messages.stream = stream;
  return nccl::success;
}
Result ncclRecv(void* buffer, std::size_t count, int type, int peer, nccl::Comm comm, void* stream) {
  if (group_depth == 0) return nccl::invalid_usage;
  grouped = to_comm(comm);
  grouped->messages.receives.push_back({peer, count, buffer});
  grouped->messages.type = type, grouped->messages.stream = stream;
  return nccl::success;
}
Result ncclAllReduce(const void* send, void* recv, std::size_t count, int type, int op, nccl::Comm comm, void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::all_reduce, count, type, op, 0}, send, recv);
}
Result ncclReduceScatter(const void* send, void* recv, std::size_t count, int type, int op, nccl::Comm comm,
                         void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::reduce_scatter, count, type, op, 0}, send, recv);
}
Result ncclAllGather(const void* send, void* recv, std::size_t count, int type, nccl::Comm comm, void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::all_gather, count, type, 0, 0}, send, recv);
}
Result ncclReduce(const void* send, void* recv, std::size_t count, int type, int op, int root, nccl::Comm comm,
                  void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::reduce, count, type, op, root}, send, recv);
}
Result ncclBroadcast(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm,
                     void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::broadcast, count, type, 0, root}, send, recv);
}

#ifndef FAKE_NCCL_OLD
Result ncclAlltoAll(const void* send, void* recv, std::size_t count, int type, nccl::Comm comm, void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::all_to_all, count, type, 0, 0}, send, recv);
}
Result ncclGather(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm, void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::gather, count, type, 0, root}, send, recv);
}
Result ncclScatter(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm, void* stream) {
  return fake::enqueue_collective(*to_comm(comm), stream, {Collective::scatter, count, type, 0, root}, send, recv);
}
Result ncclCommSplit(nccl::Comm parent, int color, int key, nccl::Comm* to, nccl::Config*) {
  auto& whole = *to_comm(parent);
  auto* comm = new_comm();
  *to = comm;
  comm->rank = key;
  const auto colors = whole.bootstrap->all_gather(std::to_string(color));
  std::vector<int> members;
  for (int rank = 0; rank < whole.size; ++rank) {
    if (colors[static_cast<std::size_t>(rank)] == std::to_string(color)) members.push_back(rank);
  }
  comm->size = static_cast<int>(members.size());
  comm->ranks = whole.ranks->split(members, Deadline::after(std::chrono::seconds(60)));
  comm->state = nccl::success;
  return nccl::success;
}
Result ncclCommCount(nccl::Comm comm, int* count) { return *count = to_comm(comm)->size, nccl::success; }
Result ncclCommUserRank(nccl::Comm comm, int* rank) { return *rank = to_comm(comm)->rank, nccl::success; }
Result ncclMemAlloc(void** begin, std::size_t bytes) {
  return *begin = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), nccl::success;
}
Result ncclMemFree(void* begin) { return std::free(begin), nccl::success; }
Result ncclCommRegister(nccl::Comm, void* begin, std::size_t, void** handle) { return *handle = begin, nccl::success; }
Result ncclCommDeregister(nccl::Comm, void*) { return nccl::success; }
Result ncclCommWindowRegister(nccl::Comm comm, void* begin, std::size_t, void** window, int flags) {
  to_comm(comm)->has_windows = fake::setting("FAKE_NCCL_VOID_WINDOWS").empty();
  return *window = begin, flags == nccl::window_symmetric ? nccl::success : nccl::invalid_usage;
}
Result ncclCommWindowDeregister(nccl::Comm, void*) { return nccl::success; }
void ncclResetDebugInit() { fake::nccl_log().reset(); }
#endif
}
#pragma GCC visibility pop
