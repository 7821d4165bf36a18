#include "base/operation.hpp"

#include <array>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

Operation of(Collective collective) { return {collective, DataType::float32, ReduceOp::sum, 10, 0}; }

TEST(Operation, names_are_read_as_they_are_written) {
  for (const auto collective : all_collectives()) EXPECT_EQ(parse_collective(name(collective)), collective);
  EXPECT_FALSE(parse_collective("allreduce"));
}

/// Bytes of 10 float32 in NCCL's meaning of count, on 4 ranks: what a rank sends, receives, and the vector.
TEST(Operation, lies_in_memory_as_nccl_has_it) {
  const auto bytes = [](Collective collective) {
    const auto layout = layout_of(of(collective), 4);
    return std::array{layout.send_bytes, layout.recv_bytes, layout.total_bytes};
  };
  using Bytes = std::array<std::size_t, 3>;
  EXPECT_EQ(bytes(Collective::all_reduce), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::reduce), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::broadcast), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::reduce_scatter), (Bytes{160, 40, 160}));
  EXPECT_EQ(bytes(Collective::all_gather), (Bytes{40, 160, 160}));
  EXPECT_EQ(bytes(Collective::all_to_all), (Bytes{160, 160, 160}));
}

TEST(Operation, in_place_is_a_ranks_own_block_where_there_are_blocks) {
  EXPECT_EQ(in_place_offset_bytes(of(Collective::reduce_scatter), 3), 120U);
  EXPECT_EQ(in_place_offset_bytes(of(Collective::all_gather), 3), 120U);
  EXPECT_EQ(in_place_offset_bytes(of(Collective::all_reduce), 3), 0U);
  EXPECT_EQ(in_place_offset_bytes(of(Collective::all_to_all), 3), 0U);
}

/// The layout says who has blocks; the predicates must not say otherwise.
TEST(Operation, has_blocks_where_its_layout_has) {
  for (const auto collective : all_collectives()) {
    const auto layout = layout_of(of(collective), 4);
    EXPECT_EQ(is_sharded(collective), layout.send_bytes != layout.recv_bytes) << name(collective);
    EXPECT_EQ(has_block_per_rank(collective), layout.total_bytes == 160) << name(collective);
  }
}

/// nccl-tests, doc/PERFORMANCE.md.
TEST(Operation, bus_bandwidth_is_nccl_tests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce_scatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_to_all, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::broadcast, 8), 1);
  for (const auto collective : all_collectives()) EXPECT_EQ(bus_factor(collective, 1), 0) << name(collective);
}

}  // namespace
}  // namespace ringmark
