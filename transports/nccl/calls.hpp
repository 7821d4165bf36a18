// Turns an operation into NCCL calls.
#pragma once

#include "transports/communicator.hpp"
#include "transports/nccl/api.hpp"

namespace ringmark {

struct NcclPlace {
  int rank, ranks;
};

/// Enqueues an operation on the stream. NCCL has no send_recv, and before 2.28 no all_to_all, gather and scatter: they
/// become a group of sends and receives, as in NCCL's guide. Operations on unequal blocks become groups too, of
/// messages or of one broadcast or reduce per block. Returns NCCL's result.
nccl::Result call_nccl(const NcclApi& api, const Operation& operation, Buffers buffers, NcclPlace place,
                       nccl::Comm comm, cuda::Stream stream);

}  // namespace ringmark
