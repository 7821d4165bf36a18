#include "transports/schedules/moved_bytes.hpp"

#include <gtest/gtest.h>

#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

Cost cost_by(Collective collective, std::string_view algorithm, int ranks) {
  return cost_of(*make_schedule(collective, algorithm, Topology::flat(ranks)));
}

TEST(MovedBytes, of_a_chain_are_the_vector_and_the_slices_that_fill_it) {
  constexpr double vector = 4 << 20;
  for (const auto collective : {Collective::broadcast, Collective::reduce}) {
    for (const int ranks : {2, 4, 8}) {
      const auto cost = cost_by(collective, "chain", ranks);
      const double slices = slices_of(cost, vector, 16 << 10);
      EXPECT_EQ(slices, vector / usual_slice_bytes);
      EXPECT_NEAR(moved_bytes(cost, vector) / vector, 1 + (ranks - 2) / slices, 1e-9) << ranks;
      // A vector of one slice is forwarded whole.
      EXPECT_NEAR(moved_bytes(cost, 1000) / 1000, ranks - 1, 1e-9) << ranks;
    }
  }
}

TEST(MovedBytes, are_all_steps_bytes_where_steps_do_not_overlap) {
  const auto cost = cost_by(Collective::all_reduce, "ring", 4);
  EXPECT_FALSE(cost.overlapped);
  for (const double vector : {1e3, 1e6, 1e9}) EXPECT_NEAR(moved_bytes(cost, vector), 1.5 * vector, 1e-3);
}

}  // namespace
}  // namespace ringmark
