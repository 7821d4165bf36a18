// An operation as calls of NCCL.
#pragma once

#include "transports/communicator.hpp"
#include "transports/nccl/api.hpp"

namespace ringmark {

/// Enqueues the operation, of `ranks` ranks, on the stream; all_to_all as sends and receives in a group where NCCL has
/// no call for it (before 2.28), as its guide does. Returns NCCL's answer.
nccl::Result call_nccl(const NcclApi& api, const Operation& operation, Buffers buffers, int ranks, nccl::Comm comm,
                       cuda::Stream stream);

}  // namespace ringmark
