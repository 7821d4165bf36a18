#include "replay/trace/fingerprint.hpp"

#include <gtest/gtest.h>

#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using namespace testing_support;

TEST(Fingerprint, of_roles_tells_their_plays_events_and_groups_apart) {
  const auto trace = small_roles(tensors_and_pipeline, 8);
  const auto of_trace = fingerprint(trace);
  EXPECT_EQ(fingerprint(small_roles(tensors_and_pipeline, 8)), of_trace);
  auto other = trace;
  other.roles[1].plays.pop_back();
  EXPECT_NE(fingerprint(other), of_trace);
  other = trace;
  other.passes[0].events[0].phase = Phase::step;
  EXPECT_NE(fingerprint(other), of_trace);
  other = trace;
  other.groups[1].dimensions[0].stride += 1;
  EXPECT_NE(fingerprint(other), of_trace);
  other = trace;
  for (auto& event : other.passes.back().events) event.elements += 1;
  EXPECT_NE(fingerprint(other), of_trace);
}

}  // namespace
}  // namespace ringmark::replay
