// Messages over one queue pair: in order, and never a byte read before its completion says that it has landed.
//
// A short message is written with immediate data into the next of the receiver's eager slots, of which the sender has
// credits. For a longer one the receiver sends an offer (address, key, length) as soon as the receive is posted: where
// the message belongs, if that memory is kept and nothing is reduced; else one of its slots, from which it reduces or
// copies. Offers travel several to a control message, together with credits that no data took back, far ahead of the
// data. So the sender needs to know nothing of the receiver's buffers, and each control message is answered by data
// before many more can follow: the receive queue is deep enough for all that can be on its way, and a receiver is
// always ready.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>

#include "transports/fabric/delivery.hpp"
#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/fabric/verbs/device.hpp"
#include "transports/fabric/verbs/queue_pair.hpp"

namespace ringmark {

/// A work request ended badly, and the queue pair with it.
class CompletionError final : public std::runtime_error {
 public:
  explicit CompletionError(ibv::WcStatus status) : std::runtime_error("completion error"), status_(status) {}
  ibv::WcStatus status() const { return status_; }

 private:
  ibv::WcStatus status_;
};

class VerbsChannel {
 public:
  /// Completions raise events on `events`. Throws TransportError.
  VerbsChannel(VerbsDevice& device, ibv::CompChannel* events, const VerbsOptions& options);
  VerbsChannel(VerbsChannel&&) = delete;

  const ConnectionCard& card() const { return card_; }
  const ConnectionCard& peer() const { return peer_; }
  /// Both ends must have done this before either sends. False if no neighbour has answered yet for the peer's address,
  /// which the kernel waits a second for: the question or its answer was lost, or nobody is there; ask again.
  bool connect(const ConnectionCard& peer);

  void send(std::span<const std::byte> message);
  void receive(const Incoming& incoming);
  bool is_busy() const { return awaits_peer() || has_news(); }
  /// Whether a message is not complete.
  bool awaits_peer() const { return !sends_.empty() || unfinished_ > 0 || !receives_.empty(); }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }

  /// Takes what has completed and posts what can be posted. Returns how many messages became complete; `moved` is set
  /// if anything happened at all. Throws CompletionError, TransportError.
  std::size_t pump(bool& moved);
  /// The next completion raises an event. What completed before may not have: pump once more before sleeping.
  void request_event() { pair_.request_event(); }

 private:
  struct Outgoing {
    std::span<const std::byte> rest;
    bool eager;
  };
  struct Pending {
    Delivery delivery;
    std::byte* begin;
    const ibv::Mr* kept;  ///< where it may be written directly; null: through slots
    std::size_t bytes;
    std::size_t offered;
    bool eager;
  };
  /// As it travels. The sender of the data takes parts off the front.
  struct Offer {
    std::uint64_t address;
    std::uint32_t key, bytes;
  };
  struct Offered {
    std::uint32_t bytes;
    int slot;  ///< -1: straight to where it belongs
  };
  static constexpr std::size_t offers_per_control = 6;
  struct Control {
    std::uint32_t credits, offers;
    std::array<Offer, offers_per_control> offer;
  };
  /// A posted send request, until it is known to be over.
  struct InFlight {
    std::uint64_t number;
    int messages;  ///< that are complete with it
    bool frees_staging;
  };

  bool has_news() const { return !unsent_offers_.empty() || taken_credits_ >= eager_slots * 3 / 4; }
  bool has_room() const { return in_flight_.size() < send_depth; }
  bool poll();
  void handle(const ibv::Wc& completion);
  void retire(std::uint64_t number);
  void post_receive(std::size_t index);
  void make_offers();
  bool deliver();
  bool send_control();
  bool send_messages();
  void write_eager(Outgoing& message);
  bool write_offered(Outgoing& message);
  /// Inline if the request says so and it fits; never what is in kept memory, which a processor may not reach.
  void post(ibv::SendWr request, const std::byte* from, std::size_t bytes, const ibv::Mr& memory, InFlight effect,
            bool must_complete);

  static constexpr std::uint32_t eager_slots = 16;
  static constexpr int slots = 4;
  static constexpr std::size_t most_offers = 16;
  static constexpr std::size_t send_depth = 128;
  static constexpr std::size_t receive_depth = eager_slots + 2 * most_offers + 8;
  static constexpr std::size_t most_unsignalled = send_depth / 4;

  VerbsDevice& device_;
  const VerbsOptions& options_;
  RegisteredMemory memory_;  ///< eager slots, their staging, controls that arrive, controls that leave
  RegisteredMemory slots_;   ///< made when first needed
  RegisteredMemory staging_;
  QueuePair pair_;
  ConnectionCard card_, peer_;

  std::deque<Outgoing> sends_;
  std::deque<InFlight> in_flight_;
  std::deque<Offer> offers_;  ///< from the peer
  std::uint64_t posted_ = 0, sent_ = 0;
  std::size_t unfinished_ = 0;  ///< messages that wait for a completion
  std::size_t unsignalled_ = 0;
  std::uint32_t credits_ = eager_slots, eager_written_ = 0, controls_written_ = 0;
  int staging_used_ = 0;
  std::uint32_t next_staging_ = 0;

  std::deque<Pending> receives_;
  std::size_t next_to_offer_ = 0;  ///< place in receives_
  std::deque<Offer> unsent_offers_;
  std::deque<Offered> offered_;
  std::uint64_t received_ = 0;
  std::uint32_t eager_arrived_ = 0, eager_taken_ = 0, taken_credits_ = 0, offered_arrived_ = 0;
  int slots_used_ = 0;
  std::uint32_t next_slot_ = 0;
};

}  // namespace ringmark
