// The ranks' own connections, which NCCL's communicators use to start and to detect losses.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/system/deadline.hpp"

namespace ringmark {

/// The other connections between the ranks, as far as NcclComm needs them.
struct NcclPeers {
  /// Returns rank 0's bytes on every rank.
  std::function<std::string(std::string_view mine)> from_rank0;
  /// Throws PeerLost if a rank is lost. Called occasionally while waiting for NCCL.
  std::function<void()> look_around;
  Clock::duration timeout;  ///< for calls to NCCL itself
};

}  // namespace ringmark
