// Ranks agree on NCCL's identifier before they create a communicator.
#pragma once

#include "transports/nccl/nccl_peers.hpp"
#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

/// Rank 0 creates it, all ranks return it. Throws Unusable on every rank if NCCL cannot create one.
nccl::UniqueId identifier_of_communicator(const NcclRuntime& runtime, int rank, const NcclPeers& peers);

}  // namespace ringmark
