// A collective on a type and a count, as a value that can be logged, compared and read from a trace.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/datatype.hpp"

namespace ringmark {

enum class Collective { all_reduce, reduce_scatter, all_gather, reduce, broadcast, all_to_all };

std::span<const Collective> all_collectives();
std::string_view name(Collective collective);
std::optional<Collective> parse_collective(std::string_view text);

/// True for the collectives that combine values, so that a ReduceOp matters.
bool reduces(Collective collective);
/// True for the collectives with a root.
bool is_rooted(Collective collective);
/// True for reduce_scatter and all_gather: a rank's smaller buffer is a block of its larger one.
bool is_sharded(Collective collective);
/// True for reduce_scatter, all_gather and all_to_all: the vector consists of a block for each rank.
bool has_block_per_rank(Collective collective);

/// `count` has NCCL's meaning: elements of the whole buffer for all_reduce, reduce and broadcast; elements that a rank
/// receives for reduce_scatter; elements that a rank sends for all_gather; elements per pair of ranks for all_to_all.
struct Operation {
  Collective collective = Collective::all_reduce;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::size_t count = 0;
  int root = 0;

  bool operator==(const Operation&) const = default;
};

/// How an operation lies in memory on each of `ranks` ranks.
struct Layout {
  std::size_t send_bytes;
  std::size_t recv_bytes;
  /// S, the full buffer, to which sizes, algbw and busbw refer: count, or count times ranks if each rank has a block.
  std::size_t total_bytes;
};
Layout layout_of(const Operation& operation, int ranks);
/// S in elements: the vector that schedules cut into chunks.
std::size_t vector_elements(const Operation& operation, int ranks);

/// In place the smaller buffer is this rank's block of the larger one, at this offset (0 where both are equal).
std::size_t in_place_offset_bytes(const Operation& operation, int rank);

/// busbw = algbw times this factor, derived in nccl-tests' doc/PERFORMANCE.md. 0 for one rank, where nothing is sent.
double bus_factor(Collective collective, int ranks);

}  // namespace ringmark
