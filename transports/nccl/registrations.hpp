// Registers memory with an NCCL communicator: as buffers with nccl.buffer=registered, as windows with
// nccl.buffer=window; other values need no registration.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

/// Each call takes the communicator, because it may be created again. `runtime` must outlive this.
class NcclRegistrations {
 public:
  /// The process exits if one registration takes longer than `timeout`.
  NcclRegistrations(NcclRuntime& runtime, Clock::duration timeout) : runtime_(runtime), timeout_(timeout) {}

  /// Returns NCCL's result.
  nccl::Result add(nccl::Comm comm, std::span<std::byte> memory);
  /// Registers all known memory with a new communicator.
  nccl::Result add_all(nccl::Comm comm);
  void remove(nccl::Comm comm, std::span<std::byte> memory);
  void remove_all(nccl::Comm comm);
  /// Forgets the handles of a destroyed communicator; the memory stays known.
  void lose_handles();
  /// The name of the NCCL function that add() calls, for messages.
  std::string_view call() const;

 private:
  struct Known {
    std::span<std::byte> memory;
    void* handle;
  };
  nccl::Result add(nccl::Comm comm, Known& known);
  void remove(nccl::Comm comm, Known& known);

  NcclRuntime& runtime_;
  Clock::duration timeout_;
  std::vector<Known> known_;
};

}  // namespace ringmark
