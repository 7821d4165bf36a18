// An application that calls NCCL as training does, to be captured: captured-application RANKS STEPS [abort]. Ranks are
// forked; each step gathers parameters, exchanges with everybody, and reduces gradients in pairs of neighbours and in
// all. captured-application time CALLS prints what a call takes, in nanoseconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transports/nccl/api.hpp"

using ringmark::nccl::Comm;
using ringmark::nccl::Config;
using ringmark::nccl::UniqueId;

extern "C" {
int ncclGetUniqueId(UniqueId* id);
int ncclCommInitRankConfig(Comm* comm, int ranks, UniqueId id, int rank, Config* config);
int ncclCommSplit(Comm comm, int color, int key, Comm* group, Config* config);
int ncclCommDestroy(Comm comm);
int ncclGroupStart();
int ncclGroupEnd();
int ncclAllGather(const void* send, void* recv, std::size_t count, int type, Comm comm, void* stream);
int ncclAllReduce(const void* send, void* recv, std::size_t count, int type, int op, Comm comm, void* stream);
int ncclSend(const void* buffer, std::size_t count, int type, int peer, Comm comm, void* stream);
int ncclRecv(void* buffer, std::size_t count, int type, int peer, Comm comm, void* stream);
}

namespace {

constexpr int bfloat16 = 9, float32 = 7;

int rank_main(int rank, int ranks, int steps, const UniqueId& id, bool aborts) {
  Config config;
  config.blocking = 1;
  Comm comm = nullptr;
  ncclCommInitRankConfig(&comm, ranks, id, rank, &config);
  Comm pair = nullptr;
  ncclCommSplit(comm, rank / 2, rank % 2, &pair, nullptr);
  void* libcuda = ::dlopen("libcuda.so.1", RTLD_NOW);
  auto* const make_stream = reinterpret_cast<int (*)(void**, unsigned)>(::dlsym(libcuda, "cuStreamCreate"));
  auto* const query = reinterpret_cast<int (*)(void*)>(::dlsym(libcuda, "cuStreamQuery"));
  void* stream = nullptr;
  make_stream(&stream, 1);
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<char> a(1 << 16), b(1 << 16);
  for (int step = 0; step < steps; ++step) {
    for (int layer = 0; layer < 2; ++layer) ncclAllGather(a.data(), b.data(), 128, bfloat16, comm, stream);
    ncclGroupStart();
    for (int peer = 0; peer < ranks; ++peer) {
      ncclSend(a.data() + static_cast<std::size_t>(peer) * 64, 16, float32, peer, comm, stream);
      ncclRecv(b.data() + static_cast<std::size_t>(peer) * 64, 16, float32, peer, comm, stream);
    }
    ncclGroupEnd();
    ncclAllReduce(a.data(), b.data(), 256, float32, 0, pair, stream);
    ncclAllReduce(a.data(), b.data(), 512 * n, float32, 4, comm, stream);
    while (query(stream) != 0) {
    }
    ::usleep(2000);
  }
  if (aborts) std::abort();
  ncclCommDestroy(pair);
  ncclCommDestroy(comm);
  return 0;
}

/// Times the cheapest calls that are recorded, so that recording dominates.
int time_calls(int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; i += 2) {
    ncclGroupStart();
    ncclGroupEnd();
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f\n", taken.count() / calls);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (std::strcmp(argv[1], "time") == 0) return time_calls(std::atoi(argv[2]));
  const int ranks = std::atoi(argv[1]), steps = std::atoi(argv[2]);
  const bool aborts = argc > 3 && std::strcmp(argv[3], "abort") == 0;
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return 3;
  for (int rank = 1; rank < ranks; ++rank) {
    if (::fork() != 0) continue;
    UniqueId id;
    if (::read(pipe_ends[0], &id, sizeof id) != sizeof id) return 3;
    return rank_main(rank, ranks, steps, id, aborts);
  }
  UniqueId id;
  ncclGetUniqueId(&id);
  for (int rank = 1; rank < ranks; ++rank) {
    if (::write(pipe_ends[1], &id, sizeof id) != sizeof id) return 3;
  }
  const int status = rank_main(0, ranks, steps, id, false);
  while (::wait(nullptr) > 0) {
  }
  return status;
}
