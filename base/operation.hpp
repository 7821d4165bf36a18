// A collective on a type and a count, as a value that can be logged, compared and read from a trace.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/block_counts.hpp"
#include "base/datatype.hpp"

namespace ringmark {

enum class Collective {
  all_reduce,
  reduce_scatter,
  all_gather,
  reduce,
  broadcast,
  all_to_all,
  gather,
  scatter,
  send_recv
};

std::span<const Collective> all_collectives();
std::string_view name(Collective collective);
std::optional<Collective> parse_collective(std::string_view text);

/// True for the collectives that combine values, so that a ReduceOp matters.
bool reduces(Collective collective);
/// True for the collectives with a root.
bool is_rooted(Collective collective);
/// True for reduce_scatter, all_gather, gather and scatter: a rank's smaller buffer is a block of its larger one.
bool is_sharded(Collective collective);
/// True for the sharded collectives and all_to_all: the vector consists of one block per rank.
bool has_block_per_rank(Collective collective);
/// True for the collectives whose blocks may have unequal counts: all_to_all, all_gather and reduce_scatter.
bool has_counts(Collective collective);
/// Why no algorithm can run the collective in place; null if one can.
const char* why_not_in_place(Collective collective);

/// Who sends to whom in a send_recv. A rank without a partner sends to itself.
enum class Pattern {
  ring,       ///< rank r sends to rank r + 1, the last one to rank 0
  pairs,      ///< ranks 2k and 2k + 1 send to each other
  neighbours  ///< the first half of the vector goes to rank r + 1, the second one to rank r - 1
};

std::span<const Pattern> all_patterns();
std::string_view name(Pattern pattern);
std::optional<Pattern> parse_pattern(std::string_view text);

/// The near-equal parts of a send_recv's vector that go to different ranks: 2 for neighbours, otherwise 1. The i-th
/// part that a rank sends is the i-th part of the receiver's result.
int parts_of(Pattern pattern);
int destination_of(Pattern pattern, int part, int rank, int ranks);
int source_of(Pattern pattern, int part, int rank, int ranks);

/// `count` has NCCL's meaning: elements of the whole buffer for all_reduce, reduce, broadcast and send_recv; elements
/// that a rank receives for reduce_scatter and scatter; elements that a rank sends for all_gather and gather; elements
/// per pair of ranks for all_to_all. With unequal blocks it is only their mean, rounded down.
struct Operation {
  Collective collective = Collective::all_reduce;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::size_t count = 0;
  int root = 0;
  Pattern pattern = Pattern::ring;
  /// The sizes of unequal blocks, for exactly the ranks that run it; null if all blocks are equal.
  std::shared_ptr<const BlockCounts> counts{};

  auto operator<=>(const Operation&) const = default;
};

/// An operation on unequal blocks, whose count is their mean.
Operation with_counts(Collective collective, DataType type, ReduceOp op, std::shared_ptr<const BlockCounts> counts);

/// How an operation's buffers are laid out in a rank's memory. Of a gather and a scatter, only the root uses the larger
/// buffer.
struct Layout {
  std::size_t send_bytes;
  std::size_t recv_bytes;
};
Layout layout_of(const Operation& operation, int ranks, int rank);
/// S, the full buffer, on which sizes, algbw and busbw are based: count, or count times ranks if each rank has a block.
/// With unequal blocks it is the sum of all ranks' blocks; for an all_to_all, what a rank sends on average.
std::size_t total_bytes(const Operation& operation, int ranks);
/// S in elements: the vector that schedules split into chunks, if those are equal.
std::size_t vector_elements(const Operation& operation, int ranks);
/// The largest buffer of any rank, in bytes.
std::size_t largest_buffer_bytes(const Operation& operation, int ranks);

/// The blocks of all_to_all, all_gather, reduce_scatter, gather and scatter, in elements: the one for (or from) `peer`
/// in the larger buffer, or for an all_to_all in each buffer.
Extent sent_block(const Operation& operation, int rank, int peer);
Extent received_block(const Operation& operation, int rank, int peer);

/// True if the send buffer is the larger one, of which the receive buffer is one block when in place.
bool sends_all_blocks(Collective collective);
/// In place, the smaller buffer is this rank's block of the larger one, at this offset (0 if both have the same size).
std::size_t in_place_offset_bytes(const Operation& operation, int rank);

/// busbw = algbw times this factor, derived in nccl-tests' doc/PERFORMANCE.md. 0 for a single rank, which sends
/// nothing.
double bus_factor(Collective collective, int ranks);
/// For unequal blocks: busbw is then the bytes of BlockCounts::bound() divided by the time.
double bus_factor(const Operation& operation, int ranks);

}  // namespace ringmark
