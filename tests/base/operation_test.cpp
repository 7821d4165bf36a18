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
    const auto layout = layout_of(of(collective), 4, 1);
    return std::array{layout.send_bytes, layout.recv_bytes, total_bytes(of(collective), 4)};
  };
  using Bytes = std::array<std::size_t, 3>;
  EXPECT_EQ(bytes(Collective::all_reduce), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::reduce), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::broadcast), (Bytes{40, 40, 40}));
  EXPECT_EQ(bytes(Collective::reduce_scatter), (Bytes{160, 40, 160}));
  EXPECT_EQ(bytes(Collective::all_gather), (Bytes{40, 160, 160}));
  EXPECT_EQ(bytes(Collective::all_to_all), (Bytes{160, 160, 160}));
  EXPECT_EQ(bytes(Collective::gather), (Bytes{40, 160, 160}));
  EXPECT_EQ(bytes(Collective::scatter), (Bytes{160, 40, 160}));
  EXPECT_EQ(bytes(Collective::send_recv), (Bytes{40, 40, 40}));
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
    const auto layout = layout_of(of(collective), 4, 1);
    EXPECT_EQ(is_sharded(collective), layout.send_bytes != layout.recv_bytes) << name(collective);
    EXPECT_EQ(sends_all_blocks(collective), layout.send_bytes > layout.recv_bytes) << name(collective);
    EXPECT_EQ(has_block_per_rank(collective), total_bytes(of(collective), 4) == 160) << name(collective);
  }
}

TEST(Operation, of_unequal_pairs_lies_in_memory_by_rows_and_columns) {
  const auto counts = BlockCounts::of_pairs(3, {9, 1, 2, 3, 0, 4, 5, 6, 0});
  const auto operation = with_counts(Collective::all_to_all, DataType::float32, ReduceOp::sum, counts);
  EXPECT_EQ(layout_of(operation, 3, 0).send_bytes, 48U);
  EXPECT_EQ(layout_of(operation, 3, 0).recv_bytes, 68U);
  EXPECT_EQ(layout_of(operation, 3, 2).recv_bytes, 24U);
  EXPECT_EQ(sent_block(operation, 2, 1), (Extent{5, 6}));
  EXPECT_EQ(received_block(operation, 0, 2), (Extent{12, 5}));
  EXPECT_EQ(total_bytes(operation, 3), 40U);  // a rank sends 10 elements on average
  EXPECT_EQ(largest_buffer_bytes(operation, 3), 68U);
  EXPECT_EQ(counts->bound(), 11U);  // rank 2 sends most, as what rank 0 keeps does not count
  EXPECT_DOUBLE_EQ(bus_factor(operation, 3), 1.1);
}

TEST(Operation, of_unequal_blocks_is_bound_by_the_rank_with_the_smallest) {
  const auto counts = BlockCounts::of_ranks({5, 0, 3});
  const auto gather = with_counts(Collective::all_gather, DataType::uint8, ReduceOp::sum, counts);
  EXPECT_EQ(layout_of(gather, 3, 2).send_bytes, 3U);
  EXPECT_EQ(layout_of(gather, 3, 2).recv_bytes, 8U);
  EXPECT_EQ(in_place_offset_bytes(gather, 2), 5U);
  EXPECT_EQ(counts->bound(), 8U);
  EXPECT_DOUBLE_EQ(bus_factor(gather, 3), 1);
  const auto scatter = with_counts(Collective::reduce_scatter, DataType::uint8, ReduceOp::sum, counts);
  EXPECT_EQ(layout_of(scatter, 3, 0).recv_bytes, 5U);
}

TEST(Operation, on_blocks_that_happen_to_be_equal_has_the_figures_of_equal_ones) {
  const auto counts = BlockCounts::of_pairs(4, std::vector<std::size_t>(16, 10));
  const auto unequal = with_counts(Collective::all_to_all, DataType::float32, ReduceOp::sum, counts);
  EXPECT_EQ(total_bytes(unequal, 4), total_bytes(of(Collective::all_to_all), 4));
  EXPECT_DOUBLE_EQ(bus_factor(unequal, 4), bus_factor(Collective::all_to_all, 4));
  EXPECT_EQ(unequal.count, 10U);
}

TEST(BlockCounts, refuse_what_cannot_be_counted) {
  const std::size_t huge = std::size_t{1} << 60U;
  EXPECT_THROW(BlockCounts::of_ranks({huge, huge}), std::overflow_error);
}

TEST(Pattern, has_a_source_for_every_destination) {
  for (const auto pattern : all_patterns()) {
    EXPECT_EQ(parse_pattern(name(pattern)), pattern);
    for (const int ranks : {1, 2, 3, 8}) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (int part = 0; part < parts_of(pattern); ++part)
          EXPECT_EQ(source_of(pattern, part, destination_of(pattern, part, rank, ranks), ranks), rank);
      }
    }
  }
  EXPECT_EQ(destination_of(Pattern::ring, 0, 3, 4), 0);
  EXPECT_EQ(destination_of(Pattern::neighbours, 1, 0, 4), 3);
  EXPECT_EQ(destination_of(Pattern::pairs, 0, 2, 4), 3);
  EXPECT_EQ(destination_of(Pattern::pairs, 0, 2, 3), 2) << "a rank without a partner sends to itself";
}

/// nccl-tests, doc/PERFORMANCE.md.
TEST(Operation, bus_bandwidth_is_nccl_tests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce_scatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_to_all, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::scatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::send_recv, 8), 1);
  for (const auto collective : all_collectives()) EXPECT_EQ(bus_factor(collective, 1), 0) << name(collective);
}

}  // namespace
}  // namespace ringmark
