// A reliable connection between two ranks' devices, with the completion queue of its requests.
#pragma once

#include <cstdint>
#include <span>

#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

/// Throws TransportError wherever the device refuses.
class QueuePair {
 public:
  /// Depths are in requests. Receives may be posted immediately. Completions raise events on `events`.
  QueuePair(VerbsDevice& device, ibv::CompChannel* events, std::uint32_t send_depth, std::uint32_t receive_depth);

  std::uint32_t number() const { return qp_->qp_num; }
  /// Maximum bytes that a send request can carry inline.
  std::uint32_t most_inline_bytes() const { return most_inline_bytes_; }

  /// Makes the pair ready to receive and to send. False if the kernel has not resolved the peer's address yet.
  bool connect(const VerbsDevice& device, const ConnectionCard& own, const ConnectionCard& peer,
               const VerbsOptions& options);

  void post(ibv::RecvWr& request);
  void post(ibv::SendWr& request);
  /// Fills `completions` and returns the filled part.
  std::span<const ibv::Wc> poll(std::span<ibv::Wc> completions);
  /// The next completion raises an event.
  void request_event();

 private:
  VerbsPtr<ibv::Cq> cq_;
  VerbsPtr<ibv::Qp> qp_;
  std::uint32_t most_inline_bytes_ = 0;
};

}  // namespace ringmark
