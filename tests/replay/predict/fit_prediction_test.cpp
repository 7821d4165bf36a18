#include "replay/predict/fit_prediction.hpp"

#include <gtest/gtest.h>

#include "base/operation.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/explain.hpp"

namespace ringmark {
namespace {

TEST(Cost, is_what_textbooks_say) {
  const auto ring = *cost_of("all_reduce", "ring", 8, 1);
  EXPECT_DOUBLE_EQ(ring.steps, 14);
  EXPECT_DOUBLE_EQ(ring.share, 2.0 * 7 / 8);
  const auto doubling = *cost_of("all_reduce", "recursive_doubling", 8, 1);
  EXPECT_DOUBLE_EQ(doubling.steps, 3);
  EXPECT_DOUBLE_EQ(doubling.share, 3);
  const auto halving = *cost_of("all_reduce", "halving_doubling", 16, 1);
  EXPECT_DOUBLE_EQ(halving.steps, 8);
  EXPECT_DOUBLE_EQ(halving.share, 2.0 * 15 / 16);
  const auto bruck = *cost_of("all_gather", "bruck", 8, 1);
  EXPECT_DOUBLE_EQ(bruck.steps, 3);
  EXPECT_DOUBLE_EQ(bruck.share, 7.0 / 8);
  const auto tree = *cost_of("all_reduce", "tree", 6, 1), pat = *cost_of("all_gather", "pat", 8, 1);
  EXPECT_DOUBLE_EQ(tree.steps, 6);
  EXPECT_DOUBLE_EQ(tree.share, 2);
  EXPECT_DOUBLE_EQ(pat.steps, 3);
  EXPECT_DOUBLE_EQ(pat.share, 7.0 / 8);
  EXPECT_FALSE(cost_of("all_gather", "tree", 8, 1));
  EXPECT_FALSE(cost_of("all_reduce", "magic", 8, 1));
  EXPECT_FALSE(cost_of("all_reduce", "ring", 1, 1));
}

TEST(Cost, agrees_with_the_bytes_that_a_ring_sends) {
  for (const int ranks : {2, 3, 5, 16}) {
    const auto schedule = make_schedule(Collective::all_reduce, "ring", Topology::flat(ranks));
    const std::size_t elements = 1000 * static_cast<std::size_t>(ranks);
    const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, elements};
    EXPECT_DOUBLE_EQ(cost_of(*schedule).share * 4 * static_cast<double>(elements),
                     static_cast<double>(sent_bytes(*schedule, operation, 0)));
  }
}

}  // namespace
}  // namespace ringmark
