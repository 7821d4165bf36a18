// A reliable connection between two ranks' devices, and the queue in which its requests complete.
#pragma once

#include <cstdint>
#include <span>

#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

/// Throws TransportError wherever the device refuses.
class QueuePair {
 public:
  /// Depths in requests. Receives may be posted at once. Completions raise events on `events`.
  QueuePair(VerbsDevice& device, ibv::CompChannel* events, std::uint32_t send_depth, std::uint32_t receive_depth);

  std::uint32_t number() const { return qp_->qp_num; }
  /// What a send request may carry in itself.
  std::uint32_t most_inline_bytes() const { return most_inline_bytes_; }

  /// Ready to receive and to send. False if no neighbour has answered yet for the peer's address.
  bool connect(const VerbsDevice& device, const ConnectionCard& own, const ConnectionCard& peer,
               const VerbsOptions& options);

  void post(ibv::RecvWr& request);
  void post(ibv::SendWr& request);
  /// Those of `completions` that were filled.
  std::span<const ibv::Wc> poll(std::span<ibv::Wc> completions);
  /// The next completion raises an event.
  void request_event();

 private:
  VerbsPtr<ibv::Cq> cq_;
  VerbsPtr<ibv::Qp> qp_;
  std::uint32_t most_inline_bytes_ = 0;
};

}  // namespace ringmark
