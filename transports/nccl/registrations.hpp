// The memory that a communicator of NCCL knows: as buffers or as windows, as nccl.buffer says. Other memory it need not
// know.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

/// The communicator is passed to each call, for it may be made anew. `runtime` must outlive this.
class NcclRegistrations {
 public:
  /// The process ends if one registration takes longer than `timeout`.
  NcclRegistrations(NcclRuntime& runtime, Clock::duration timeout) : runtime_(runtime), timeout_(timeout) {}

  /// NCCL's answer.
  nccl::Result add(nccl::Comm comm, std::span<std::byte> memory);
  /// All memory that is known, with a communicator that knows none yet.
  nccl::Result add_all(nccl::Comm comm);
  void remove(nccl::Comm comm, std::span<std::byte> memory);
  void remove_all(nccl::Comm comm);
  /// The communicator is gone, and has forgotten them; the memory stays known.
  void lose_handles();
  /// NCCL's name of what add() calls, for messages.
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
