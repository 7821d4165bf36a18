// The knobs of the NCCL transport; each is set with --set nccl.NAME=VALUE. NCCL's own knobs are environment variables.
#pragma once

#include <optional>
#include <string>

#include "base/option.hpp"

namespace ringmark {

enum class NcclBuffer {
  plain,       ///< cuMemAlloc, like cudaMalloc
  nccl,        ///< ncclMemAlloc
  registered,  ///< ncclMemAlloc and ncclCommRegister
  window,      ///< ncclMemAlloc and ncclCommWindowRegister, symmetric
};

struct NcclOptions {
  std::string library;        ///< a file; empty: open_nccl finds one
  std::optional<int> device;  ///< CUDA's number of every rank's GPU; nothing: the rank's number on its host
  NcclBuffer buffer = NcclBuffer::nccl;
  bool graph = false;
  bool share_gpu = false;
};

const OptionTable<NcclOptions>& nccl_option_table();

}  // namespace ringmark
