#include "transports/executor/execution.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/units.hpp"

namespace ringmark {
namespace {

/// Bytes of a slice of an all_reduce of so many float32 bytes, cut into a chunk for each of four ranks.
std::size_t slice_bytes(std::size_t vector_bytes, std::size_t least, std::size_t most, int scratch_slots = 0) {
  const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, vector_bytes / 4};
  return choose_slicing(operation, 4, 4, scratch_slots, least, most).elements * 4;
}

TEST(LeastSlice, is_worth_a_message_of_its_own) {
  EXPECT_EQ(least_slice_bytes({8, 2.5e-4}), 64 * kibi);    // 4 * 32,000, as a power of two
  EXPECT_EQ(least_slice_bytes({30, 8.37e-3}), 16 * kibi);  // Ethernet: bytes are dear
  EXPECT_EQ(least_slice_bytes({1000, 1e-5}), mebi);
  EXPECT_EQ(least_slice_bytes({10, 0}), mebi);  // a rate too high to be measured
}

TEST(Slicing, cuts_a_chunk_so_that_it_is_forwarded_while_it_arrives) {
  EXPECT_EQ(slice_bytes(mebi, 16 * kibi, 128 * kibi), 64 * kibi);
  EXPECT_EQ(slice_bytes(64 * mebi, 16 * kibi, 128 * kibi), 128 * kibi);
}

TEST(Slicing, leaves_a_chunk_whole_that_is_not_worth_two_messages) {
  EXPECT_EQ(slice_bytes(256 * kibi, 64 * kibi, 128 * kibi), 64 * kibi);
  EXPECT_EQ(slice_bytes(256 * kibi, 16 * kibi, 128 * kibi), 16 * kibi);
  EXPECT_EQ(slice_bytes(mebi, mebi, 128 * kibi), 128 * kibi) << "what was asked for is the most";
}

TEST(Slicing, is_never_shorter_than_the_least) {
  for (std::size_t chunk = 65; chunk < 1024; chunk += 7) {
    const auto slice = slice_bytes(4 * chunk * kibi, 64 * kibi, 128 * kibi);
    EXPECT_GE(slice, std::min(chunk, std::size_t{64}) * kibi) << chunk << " KiB";
    EXPECT_LE(slice, 128 * kibi) << chunk << " KiB";
  }
  EXPECT_EQ(slice_bytes(400 * kibi, 64 * kibi, 128 * kibi), 100 * kibi);
}

TEST(Slicing, keeps_scratch_memory_small) {
  EXPECT_EQ(slice_bytes(64 * mebi, mebi, 64 * mebi, 2), mebi);
  EXPECT_EQ(slice_bytes(64 * mebi, mebi, 64 * mebi, 16), 128 * kibi);
}

TEST(Slicing, of_few_blocks_is_finer_since_some_ranks_wait_for_the_first_slices) {
  for (const std::size_t total : {mebi, 4 * mebi, 64 * mebi}) {
    const std::size_t half = total / 4 / 2;
    Operation operation{Collective::reduce_scatter, DataType::float32, ReduceOp::sum, half};
    operation.counts = BlockCounts::of_ranks({half, 0, half, 0});
    const auto slice = choose_slicing(operation, 4, 4, 2, 16 * kibi, 128 * kibi).elements * 4;
    EXPECT_GE(slice, 16 * kibi);
    EXPECT_LE(4 * slice, std::max(total / 64, 64 * kibi)) << "of four ranks";
    EXPECT_LE(choose_slicing(operation, 4, 4, 2, mebi, 128 * kibi).elements * 4, 128 * kibi);
  }
}

TEST(Slicing, has_an_element_at_least_and_whole_cache_lines) {
  EXPECT_EQ(slice_bytes(16, 16 * kibi, 1), 4U);
  EXPECT_EQ(slice_bytes(4 * 99'996, 16 * kibi, 128 * kibi), 25'024U) << "four, the last a little shorter";
}

}  // namespace
}  // namespace ringmark
