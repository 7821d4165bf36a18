// The knobs of the NCCL transport; each is set with --set nccl.NAME=VALUE. NCCL's own are environment variables.
#pragma once

#include <optional>
#include <string>

#include "base/option.hpp"

namespace ringmark {

enum class NcclBuffer {
  plain,       ///< cuMemAlloc, as cudaMalloc
  nccl,        ///< ncclMemAlloc
  registered,  ///< ncclMemAlloc and ncclCommRegister
  window,      ///< ncclMemAlloc and ncclCommWindowRegister, symmetric
};

struct NcclOptions {
  std::string library;        ///< a file; empty: as open_nccl finds it
  std::optional<int> device;  ///< of every rank, by CUDA's number; nothing: the rank's number on its host
  NcclBuffer buffer = NcclBuffer::nccl;
  bool graph = false;
  bool share_gpu = false;
};

const OptionTable<NcclOptions>& nccl_option_table();

}  // namespace ringmark
