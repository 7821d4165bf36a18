// Messages over one queue pair, in order. No byte is read before its completion reports its arrival.
//
// A short message is written with immediate data into the receiver's next eager slot; a credit stands for a free slot.
// For a longer message, the receiver sends an offer (address, key, length) as soon as the receive is posted. The offer
// names the message's target if that memory is kept and nothing is reduced, and otherwise one of the receiver's slots,
// from which it reduces or copies. So the sender needs no knowledge of the receiver's buffers. Control messages are
// sent far ahead of the data; each contains several offers, and the credits that no data message has returned. Each is
// answered by data before many more can follow, so the receive queue has room for everything in flight, and a receiver
// is always ready.
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

/// A work request failed, and the queue pair with it.
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
  /// Both ends must connect before either sends. False if the kernel could not resolve the peer's address within a
  /// second: the query or its answer was lost, or no host has that address. Call again to retry.
  bool connect(const ConnectionCard& peer);

  void send(std::span<const std::byte> message);
  void receive(const Incoming& incoming);
  bool is_busy() const { return awaits_peer() || has_news(); }
  /// True if any message is incomplete.
  bool awaits_peer() const { return !sends_.empty() || unfinished_ > 0 || !receives_.empty(); }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }

  /// Handles completions and posts requests. Returns how many messages completed; sets `moved` if anything happened at
  /// all. Throws CompletionError, TransportError.
  std::size_t pump(bool& moved);
  /// The next completion raises an event. Earlier ones may not have, so call pump() once more before sleeping.
  void request_event() { pair_.request_event(); }

 private:
  struct Outgoing {
    std::span<const std::byte> rest;
    bool eager;
  };
  struct Pending {
    Delivery delivery;
    std::byte* begin;
    const ibv::Mr* kept;  ///< registration of the target for direct writes; null to go through slots
    std::size_t bytes;
    std::size_t offered;
    bool eager;
  };
  /// Wire format. The data's sender removes parts from the front.
  struct Offer {
    std::uint64_t address;
    std::uint32_t key, bytes;
  };
  struct Offered {
    std::uint32_t bytes;
    int slot;  ///< -1 if written directly to the target
  };
  static constexpr std::size_t offers_per_control = 6;
  struct Control {
    std::uint32_t credits, offers;
    std::array<Offer, offers_per_control> offer;
  };
  /// A posted send request that has not been confirmed as finished.
  struct InFlight {
    std::uint64_t number;
    int messages;  ///< number of messages that complete with it
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
  /// Sends inline if the request asks for it and the data fits, but never from kept memory, which the CPU may be unable
  /// to access.
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
  RegisteredMemory memory_;  ///< eager slots, their staging, incoming controls, outgoing controls
  RegisteredMemory slots_;   ///< created when first needed
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
  std::size_t next_to_offer_ = 0;  ///< index into receives_
  std::deque<Offer> unsent_offers_;
  std::deque<Offered> offered_;
  std::uint64_t received_ = 0;
  std::uint32_t eager_arrived_ = 0, eager_taken_ = 0, taken_credits_ = 0, offered_arrived_ = 0;
  int slots_used_ = 0;
  std::uint32_t next_slot_ = 0;
};

}  // namespace ringmark
