// Turns an operation into calls of NCCL.
#pragma once

#include "transports/communicator.hpp"
#include "transports/nccl/api.hpp"

namespace ringmark {

/// Enqueues an operation of `ranks` ranks on the stream. Before 2.28 NCCL has no all_to_all: it becomes a group of
/// sends and receives, as in NCCL's guide. Returns NCCL's result.
nccl::Result call_nccl(const NcclApi& api, const Operation& operation, Buffers buffers, int ranks, nccl::Comm comm,
                       cuda::Stream stream);

}  // namespace ringmark
