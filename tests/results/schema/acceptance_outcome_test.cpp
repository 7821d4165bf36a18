#include "results/schema/acceptance_outcome.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(AcceptanceOutcome, is_known_by_its_name) {
  for (const auto outcome : {AcceptanceOutcome::pass, AcceptanceOutcome::fail, AcceptanceOutcome::undecided})
    EXPECT_EQ(parse_acceptance_outcome(name(outcome)), outcome);
  EXPECT_EQ(name(AcceptanceOutcome::undecided), "undecided");
  EXPECT_FALSE(parse_acceptance_outcome("banana"));
}

}  // namespace
}  // namespace ringmark
