// libringmark-capture.so: LD_PRELOAD=libringmark-capture.so RINGMARK_CAPTURE=FOLDER application
//
// Interposes NCCL's functions in an application, forwards every call, and records it as capture/1, which
// ringmark-replay import reads. NCCL exports its functions as weak symbols for this purpose (its guide, "profiling").
#include <atomic>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>

#include "replay/capture/capture_file.hpp"
#include "replay/capture/pointer_numbers.hpp"
#include "transports/nccl/api.hpp"

namespace {

using ringmark::capture::CaptureFile;
using ringmark::capture::Line;
using ringmark::capture::PointerNumbers;
using ringmark::nccl::Comm;
using ringmark::nccl::Result;
using ringmark::nccl::UniqueId;
using Stream = void*;

constexpr Result internal_error = 3;

bool is_failure(Result result) { return result != ringmark::nccl::success && result != ringmark::nccl::in_progress; }

/// Like all static objects here, it needs no constructor, and is used until the very end of the process.
constinit CaptureFile file;

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// NCCL's own function. RTLD_NEXT does not find it if a Python module loaded NCCL.
void* find(const char* name) {
  if (void* next = ::dlsym(RTLD_NEXT, name)) return next;
  void* library = ::dlopen("libnccl.so.2", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

std::uint64_t hash(const void* bytes, std::size_t count, std::uint64_t seed = 0xcbf29ce484222325U) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) seed = (seed ^ at[i]) * 0x100000001b3U;  // FNV-1a
  return seed;
}

/// Recordings name communicators and streams by numbers.
constinit PointerNumbers communicators, streams;

/// By number: whether the communicator's rank and size are recorded.
constexpr int most_communicators = 4096;
std::atomic<bool> is_recorded[most_communicators];

void before_fork() {
  pthread_mutex_lock(&communicators.mutex());
  pthread_mutex_lock(&streams.mutex());
  file.before_fork();
}
void after_fork_in_parent() {
  file.after_fork_in_parent();
  pthread_mutex_unlock(&streams.mutex());
  pthread_mutex_unlock(&communicators.mutex());
}
void after_fork_in_child() {
  file.after_fork_in_child();
  pthread_mutex_init(&streams.mutex(), nullptr);
  pthread_mutex_init(&communicators.mutex(), nullptr);
}

__attribute__((constructor)) void begin() { ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }
__attribute__((destructor)) void end() { file.close(); }

/// An NCCL function, looked up at its first call. Several threads may make that call at once.
template <class Function>
class Real {
 public:
  Function* get(const char* symbol) {
    auto* function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = reinterpret_cast<Function*>(find(symbol));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  std::atomic<Function*> function_{nullptr};
};

/// {"t":12.345,"comm":0,"rank":1,"ranks":4,"id":"a1b2"}
void record_communicator(int number, int rank, int ranks, std::uint64_t id) {
  Line line;
  line.text(R"({"t":)").microseconds(now_ns()).text(R"(,"comm":)").signed_number(number);
  line.text(R"(,"rank":)").signed_number(rank).text(R"(,"ranks":)").signed_number(ranks);
  file.add(line.text(R"(,"id":")").hex(id).text("\"}"));
}
void record_new_communicator(Comm comm, int rank, int ranks, std::uint64_t id) {
  communicators.forget(comm);
  const int number = communicators.of(comm);
  if (number < most_communicators) is_recorded[number] = true;
  record_communicator(number, rank, ranks, id);
}

/// Records a communicator made by a split at its first collective. False if it cannot be queried yet, since its
/// creation is still in progress.
bool record_split_communicator(Comm comm, int number) {
  static constinit Real<Result(Comm, int*)> real_count, real_rank;
  auto* const count_of = real_count.get("ncclCommCount");
  auto* const rank_of = real_rank.get("ncclCommUserRank");
  int rank = 0, ranks = 0;
  const bool knows = count_of != nullptr && rank_of != nullptr && count_of(comm, &ranks) == ringmark::nccl::success &&
                     rank_of(comm, &rank) == ringmark::nccl::success;
  if (knows) record_communicator(number, rank, ranks, 0);
  return knows;
}

/// {"t":12.345,"f":"AllReduce","n":8,"dt":7,"op":0,"root":0,"comm":0,"s":0,"us":3.210}
template <class Function, class... Args>
Result collective(const char* symbol, Real<Function>& function, std::size_t count, int type, int op, int root,
                  Comm comm, Stream stream, Args... args) {
  auto* const real = function.get(symbol);
  if (real == nullptr) return internal_error;
  constexpr int no_communicator = -1;  // NCCL will refuse the call
  const int number = comm == nullptr ? no_communicator : communicators.of(comm);
  if (number >= 0 && number < most_communicators && !is_recorded[number].load(std::memory_order_relaxed) &&
      !is_recorded[number].exchange(true, std::memory_order_relaxed) && !record_split_communicator(comm, number))
    is_recorded[number] = false;
  const auto before = now_ns();
  const auto result = real(args...);
  Line line;
  line.text(R"({"t":)").microseconds(before).text(R"(,"f":")").text(symbol + std::strlen("nccl")).text(R"(","n":)");
  line.number(count).text(R"(,"dt":)").signed_number(type).text(R"(,"op":)").signed_number(op).text(R"(,"root":)");
  line.signed_number(root).text(R"(,"comm":)").signed_number(number).text(R"(,"s":)");
  line.signed_number(streams.of(stream == nullptr ? &streams : stream))
      .text(R"(,"us":)")
      .microseconds(now_ns() - before);
  if (is_failure(result)) line.text(R"(,"error":)").signed_number(result);
  file.add(line.text("}"));
  return result;
}

/// {"t":12.345,"group":"end"}
void tell_of_group(const char* what, Result result = ringmark::nccl::success) {
  Line line;
  line.text(R"({"t":)").microseconds(now_ns()).text(R"(,"group":")").text(what).text("\"");
  if (is_failure(result)) line.text(R"(,"error":)").signed_number(result);
  file.add(line.text("}"));
}

}  // namespace

#define CAPTURED(name, count, type, op, root, ...) \
  static constinit Real<decltype(name)> real;      \
  return collective(#name, real, count, type, op, root, comm, stream, __VA_ARGS__)

extern "C" {
#pragma GCC visibility push(default)

Result ncclAllReduce(const void* send, void* recv, std::size_t count, int type, int op, Comm comm, Stream stream) {
  CAPTURED(ncclAllReduce, count, type, op, 0, send, recv, count, type, op, comm, stream);
}
Result ncclReduceScatter(const void* send, void* recv, std::size_t count, int type, int op, Comm comm, Stream stream) {
  CAPTURED(ncclReduceScatter, count, type, op, 0, send, recv, count, type, op, comm, stream);
}
Result ncclAllGather(const void* send, void* recv, std::size_t count, int type, Comm comm, Stream stream) {
  CAPTURED(ncclAllGather, count, type, 0, 0, send, recv, count, type, comm, stream);
}
Result ncclReduce(const void* send, void* recv, std::size_t count, int type, int op, int root, Comm comm,
                  Stream stream) {
  CAPTURED(ncclReduce, count, type, op, root, send, recv, count, type, op, root, comm, stream);
}
Result ncclBroadcast(const void* send, void* recv, std::size_t count, int type, int root, Comm comm, Stream stream) {
  CAPTURED(ncclBroadcast, count, type, 0, root, send, recv, count, type, root, comm, stream);
}
Result ncclAlltoAll(const void* send, void* recv, std::size_t count, int type, Comm comm, Stream stream) {
  CAPTURED(ncclAlltoAll, count, type, 0, 0, send, recv, count, type, comm, stream);
}
Result ncclGather(const void* send, void* recv, std::size_t count, int type, int root, Comm comm, Stream stream) {
  CAPTURED(ncclGather, count, type, 0, root, send, recv, count, type, root, comm, stream);
}
Result ncclScatter(const void* send, void* recv, std::size_t count, int type, int root, Comm comm, Stream stream) {
  CAPTURED(ncclScatter, count, type, 0, root, send, recv, count, type, root, comm, stream);
}
Result ncclSend(const void* buffer, std::size_t count, int type, int peer, Comm comm, Stream stream) {
  CAPTURED(ncclSend, count, type, 0, peer, buffer, count, type, peer, comm, stream);
}
Result ncclRecv(void* buffer, std::size_t count, int type, int peer, Comm comm, Stream stream) {
  CAPTURED(ncclRecv, count, type, 0, peer, buffer, count, type, peer, comm, stream);
}

Result ncclGroupStart() {
  static constinit Real<Result()> resolved;
  auto* const real = resolved.get("ncclGroupStart");
  if (real == nullptr) return internal_error;
  tell_of_group("start");
  return real();
}
Result ncclGroupEnd() {
  static constinit Real<Result()> resolved;
  auto* const real = resolved.get("ncclGroupEnd");
  if (real == nullptr) return internal_error;
  const auto result = real();
  tell_of_group("end", result);
  return result;
}
/// Ends the group without making its calls.
Result ncclGroupSimulateEnd(void* info) {
  static constinit Real<Result(void*)> resolved;
  auto* const real = resolved.get("ncclGroupSimulateEnd");
  if (real == nullptr) return internal_error;
  const auto result = real(info);
  tell_of_group("simulated", result);
  return result;
}

Result ncclCommInitRank(Comm* comm, int ranks, UniqueId id, int rank) {
  static constinit Real<Result(Comm*, int, UniqueId, int)> resolved;
  auto* const real = resolved.get("ncclCommInitRank");
  if (real == nullptr) return internal_error;
  const auto result = real(comm, ranks, id, rank);
  if (!is_failure(result)) record_new_communicator(*comm, rank, ranks, hash(id.bytes, sizeof id.bytes));
  return result;
}
Result ncclCommInitRankConfig(Comm* comm, int ranks, UniqueId id, int rank, void* config) {
  static constinit Real<Result(Comm*, int, UniqueId, int, void*)> resolved;
  auto* const real = resolved.get("ncclCommInitRankConfig");
  if (real == nullptr) return internal_error;
  const auto result = real(comm, ranks, id, rank, config);
  if (!is_failure(result)) record_new_communicator(*comm, rank, ranks, hash(id.bytes, sizeof id.bytes));
  return result;
}
Result ncclCommInitRankScalable(Comm* comm, int ranks, int rank, int ids, UniqueId* id, void* config) {
  static constinit Real<Result(Comm*, int, int, int, UniqueId*, void*)> resolved;
  auto* const real = resolved.get("ncclCommInitRankScalable");
  if (real == nullptr) return internal_error;
  const auto result = real(comm, ranks, rank, ids, id, config);
  if (!is_failure(result)) record_new_communicator(*comm, rank, ranks, hash(id[0].bytes, sizeof id[0].bytes));
  return result;
}
Result ncclCommInitAll(Comm* comms, int count, const int* devices) {
  static constinit Real<Result(Comm*, int, const int*)> resolved;
  auto* const real = resolved.get("ncclCommInitAll");
  if (real == nullptr) return internal_error;
  const auto result = real(comms, count, devices);
  const auto id = now_ns();
  for (int rank = 0; rank < count && !is_failure(result); ++rank) record_new_communicator(comms[rank], rank, count, id);
  return result;
}
Result ncclCommDestroy(Comm comm) {
  static constinit Real<Result(Comm)> resolved;
  auto* const real = resolved.get("ncclCommDestroy");
  communicators.forget(comm);
  return real == nullptr ? internal_error : real(comm);
}
Result ncclCommAbort(Comm comm) {
  static constinit Real<Result(Comm)> resolved;
  auto* const real = resolved.get("ncclCommAbort");
  communicators.forget(comm);
  return real == nullptr ? internal_error : real(comm);
}

#pragma GCC visibility pop
}
