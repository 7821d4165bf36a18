// The communicator of the stand-in for NCCL: our schedules over loopback TCP, and the faults that
// FAKE_NCCL asks for.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/nvidia/star_bootstrap.hpp"
#include "transports/communicator.hpp"
#include "transports/nccl/api.hpp"

namespace ringmark::fake {

#ifdef FAKE_NCCL_OLD
constexpr int nccl_version = 21605;
#else
constexpr int nccl_version = 22809;
#endif

struct Fault {
  std::string kind;
  int rank = -1;
};
Fault fault();

/// The sends and receives of a group so far.
struct Messages {
  template <class Buffer>
  struct Message {
    int peer;
    std::size_t count;
    Buffer buffer;
  };
  std::vector<Message<const void*>> sends;
  std::vector<Message<void*>> receives;
  int type = 0;
  void* stream = nullptr;
};

struct Comm {
  int rank = 0, size = 0;
  std::unique_ptr<StarBootstrap> bootstrap;
  std::unique_ptr<Communicator> ranks;
  std::future<nccl::Result> starting;
  nccl::Result state = nccl::in_progress;
  bool aborted = false, has_windows = false;
  int collectives = 0;
  Messages messages;
};

/// Has its GPU for itself, or is refused as NCCL refuses it; connected by then.
nccl::Result start_comm(Comm& comm, std::uint16_t port);
/// Logs the lines that NCCL logs at the end of its start.
void tell_of_start(const Comm& comm);
nccl::Result state_of(Comm& comm);

/// A collective in NCCL's numbers.
struct NcclCall {
  Collective collective;
  std::size_t count;
  int type, op = 0, root = 0;
  Pattern pattern = Pattern::ring;
  std::shared_ptr<const BlockCounts> counts{};
};
/// Enqueues it and logs what NCCL would choose for it; or refuses it as NCCL does.
nccl::Result enqueue_collective(Comm& comm, void* stream, const NcclCall& call, const void* send, void* recv);
/// Enqueues the collective that the group's messages are; or refuses them.
nccl::Result enqueue_messages(Comm& comm);

}  // namespace ringmark::fake
