#include "bench/harness/verify.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Verifier, sees_a_single_changed_bit_and_a_misplaced_block) {
  const Operation operation{Collective::all_gather, DataType::float32, ReduceOp::sum, 5000};
  std::vector<float> result;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<float> part(operation.count);
    Verifier(operation, rank, 2).fill(part.data());
    result.insert(result.end(), part.begin(), part.end());
  }
  const Verifier verifier(operation, 0, 2);
  EXPECT_EQ(verifier.count_wrong(result.data()), 0U);
  auto changed = result;
  reinterpret_cast<std::uint32_t&>(changed[7777]) ^= 1;
  EXPECT_EQ(verifier.count_wrong(changed.data()), 1U);
  std::rotate(result.begin(), result.begin() + 4096, result.end());
  EXPECT_GT(verifier.count_wrong(result.data()), 9000U);
}

/// A vector that is the same everywhere, or begins elsewhere, must not pass for the result.
TEST(Verifier, results_differ_from_element_to_element_in_all_types_and_reductions) {
  for (const auto type : all_datatypes()) {
    for (const auto op : all_reduce_ops()) {
      for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 16, 64}) {
        const Operation operation{Collective::all_reduce, type, op, 300};
        const Verifier verifier(operation, 0, ranks);
        std::vector<std::byte> constant(operation.count * size_bytes(type));
        for (int value = -8; value <= 32; ++value) {
          if (value < 0 && (type == DataType::uint8 || type == DataType::uint32 || type == DataType::uint64)) continue;
          for (std::size_t i = 0; i < operation.count; ++i) encode(type, value, &constant[i * size_bytes(type)]);
          EXPECT_GT(verifier.count_wrong(constant.data()), operation.count / 8)
              << name(type) << " " << name(op) << " of " << ranks << ": " << value << " everywhere";
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringmark
