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

}  // namespace
}  // namespace ringmark
