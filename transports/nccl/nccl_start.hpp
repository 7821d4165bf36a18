// Ranks agree on NCCL's identifier before they make a communicator.
#pragma once

#include "transports/nccl/nccl_peers.hpp"
#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

/// Rank 0 makes it, all return it. Throws Unusable on every rank if NCCL cannot make one.
nccl::UniqueId identifier_of_communicator(const NcclRuntime& runtime, int rank, const NcclPeers& peers);

}  // namespace ringmark
