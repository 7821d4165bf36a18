// Runs one rank's program over a fabric, in slices.
//
// Every chunk is split into slices. `lanes` consecutive slices of all chunks form a window. The program runs window by
// window, and runs each of its entries for all lanes in turn. So a slice is forwarded while the next one is still being
// received and reduced, and a window's memory stays in the cache. There is no pause between windows, since the next
// window's first sends depend on nothing. Sends are posted strictly in this order, and so are receives; that is all
// that the checker assumes, and all that peers must agree on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/operation.hpp"
#include "transports/communicator.hpp"
#include "transports/fabric/fabric.hpp"
#include "transports/schedules/chunk.hpp"
#include "transports/schedules/cost.hpp"
#include "transports/schedules/program.hpp"

namespace ringmark {

/// All ranks must use the same slicing.
struct Slicing {
  std::size_t elements;  ///< per slice, at least 1
  int lanes;
};

/// Splits chunks into several slices, so that a chunk is forwarded while it is still arriving, provided that a slice
/// has at least `least_bytes`. No slice exceeds `most_bytes`, and scratch memory is limited to a few MiB.
Slicing choose_slicing(const Operation& operation, int ranks, int chunks, int scratch_slots, std::size_t least_bytes,
                       std::size_t most_bytes);

class Execution {
 public:
  explicit Execution(Fabric& fabric) : fabric_(fabric) {}
  ~Execution() { fabric_.forget(scratch_.span()); }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// The program and the buffers must outlive the execution. Posts nothing yet.
  void begin(const Program& program, const Operation& operation, Buffers buffers, Slicing slicing);

  /// Posts the messages that are ready and records those that are complete. True once the whole program is done.
  bool advance();
  /// Does some of the local copying, which no peer waits for; false if none is left.
  bool copy_some();
  /// The peer that the first incomplete receive (or, if there is none, send) waits for; -1 if nothing is in flight.
  int awaited_peer() const;

 private:
  /// A position in the order of all sends, or of all receives.
  struct Position {
    std::size_t window = 0;
    std::size_t entry = 0;
    std::size_t lane = 0;
  };
  struct InFlight {
    std::uint64_t number;  ///< the fabric's number of the message; 0 if there is nothing to transfer
    Position position;
  };
  /// In-flight entries in posting order, bounded so that nothing is allocated while running.
  class Queue {
   public:
    bool full() const { return count_ == entries_.size(); }
    bool empty() const { return count_ == 0; }
    const InFlight& front() const { return entries_[first_]; }
    InFlight& push(const InFlight& entry) { return entries_[(first_ + count_++) % entries_.size()] = entry; }
    void pop() { first_ = (first_ + 1) % entries_.size(), --count_; }
    void clear() { first_ = count_ = 0; }

   private:
    std::array<InFlight, 64> entries_;
    std::size_t first_ = 0, count_ = 0;
  };

  std::size_t lanes_in(std::size_t window) const;
  void step(Position& position, std::size_t entries) const;
  std::size_t needed(const Position& at, int entries_before, std::size_t entries) const;
  std::size_t needed_of_previous(const Position& at, int entries_before, std::size_t entries) const;
  template <class Entry>
  std::size_t slice_bytes(const Entry& entry, const Position& at) const;
  std::byte* address(Location where, const Position& at) const;

  bool can_send_next() const;
  bool post_sends();
  bool post_receives();
  bool retire_sends();
  bool retire_receives();
  bool finish_staged(const ProgramReceive& receive, const Position& at);
  const Reduction& reduction(Combine combine) const { return reductions_[combine == Combine::reduce_last ? 1 : 0]; }

  Fabric& fabric_;
  const Program* program_ = nullptr;
  std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  bool input_is_block_ = false, output_is_block_ = false;  ///< the buffer holds only this rank's chunk
  std::size_t element_bytes_ = 1;
  ChunkLayout layout_;
  bool past_cache_ = false;  ///< local copies bypass the cache
  std::size_t slice_ = 1;    ///< elements
  std::size_t lanes_ = 1;
  std::size_t slices_ = 0;  ///< in the longest chunk
  std::size_t windows_ = 0;
  std::array<Reduction, 2> reductions_;
  Block scratch_;

  Position next_send_, next_receive_;
  Queue sends_, receives_;
  std::size_t sends_done_ = 0, receives_done_ = 0;
  std::size_t copy_chunk_ = 0, copy_bytes_ = 0;
};

}  // namespace ringmark
