#include "results/column_kinds.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(ColumnKinds, tell_choices_from_what_was_measured_and_what_was_pretended) {
  for (const char* choice : {"NCCL_ALGO", "tcp.sockets", "algorithm", "zero", "reduce-bucket", "overlap", "gradients"})
    EXPECT_TRUE(is_choice(choice)) << choice;
  for (const char* thing : {"sizes", "ranks", "ranks_per_node", "model", "pairs", "device"})
    EXPECT_FALSE(is_choice(thing)) << thing;
  for (const char* distortion : {"scale-compute", "compute_scale", "slow-down", "slow_down", "compute_used"})
    EXPECT_FALSE(is_choice(distortion)) << distortion;
}

}  // namespace
}  // namespace ringmark
