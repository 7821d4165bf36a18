// The options of the NCCL transport; each is set with --set nccl.NAME=VALUE. NCCL's own settings are environment
// variables.
#pragma once

#include <optional>
#include <string>

#include "base/flags/option.hpp"
#include "base/memory_kind.hpp"
#include "base/transport.hpp"

namespace ringmark {

enum class NcclBuffer {
  plain,       ///< cuMemAlloc, like cudaMalloc
  nccl,        ///< ncclMemAlloc
  registered,  ///< ncclMemAlloc and ncclCommRegister
  window,      ///< ncclMemAlloc and ncclCommWindowRegister, symmetric
};

struct NcclOptions {
  static constexpr auto transport = Transport::nccl;

  std::string library;        ///< a file; empty: open_nccl finds one
  std::optional<int> device;  ///< CUDA's GPU number for every rank; empty: the rank's index on its host
  NcclBuffer buffer = NcclBuffer::nccl;
  bool graph = false;
  bool share_gpu = false;

  MemoryKind memory_kind() const { return MemoryKind::cuda; }
  static const OptionTable<NcclOptions>& table();
};

}  // namespace ringmark
