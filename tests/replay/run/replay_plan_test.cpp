#include "replay/run/replay_plan.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using namespace testing_support;

ReplayOptions on_an_h100() {
  ReplayOptions options;
  options.file = "step.jsonl";
  options.compute.device = load_device("h100");
  return options;
}

TEST(ReplayPlan, gives_each_rank_the_step_of_its_role) {
  const auto trace = small_roles(tensors_and_pipeline, 8);
  const auto first = make_plan(on_an_h100(), trace, 0, 8), last = make_plan(on_an_h100(), trace, 7, 8);
  EXPECT_TRUE(first.has_roles());
  EXPECT_EQ(first.fingerprint, last.fingerprint);
  EXPECT_NE(first.trace, last.trace);
  EXPECT_EQ(first.step_on(7), last.trace);
  EXPECT_EQ(last.step_on(0), first.trace);
  EXPECT_EQ(first.trace.events.size(), first.durations_us.size());
  EXPECT_EQ(first.device, "h100");
}

TEST(ReplayPlan, of_roles_generates_what_the_file_has) {
  const auto trace = small_roles(experts, 4);
  auto options = on_an_h100();
  const auto from_file = make_plan(options, trace, 1, 4);
  options.compute.size_scale = 0.5;
  const auto scaled = make_plan(options, trace, 1, 4);
  EXPECT_NE(scaled.fingerprint, from_file.fingerprint);
  ASSERT_EQ(scaled.trace.events.size(), from_file.trace.events.size());
  for (std::size_t at = 0; at < scaled.trace.events.size(); ++at) {
    EXPECT_LE(scaled.trace.events[at].elements, from_file.trace.events[at].elements);
  }
  EXPECT_EQ(scaled.durations_us, from_file.durations_us) << "sizes alone";
}

TEST(ReplayPlan, refuses_what_does_not_fit_roles) {
  const auto trace = small_roles(tensors_and_pipeline, 8);
  EXPECT_THROW(make_plan(on_an_h100(), trace, 0, 4), BadUsage) << "other ranks";
  auto options = on_an_h100();
  options.compute.model.forward_ms = options.compute.model.backward_ms = 1;
  EXPECT_THROW(make_plan(options, trace, 0, 8), BadUsage) << "stages differ";
  options = on_an_h100();
  options.compute.slow_down[8] = 2;
  EXPECT_THROW(make_plan(options, trace, 0, 8), BadUsage) << "no such rank";
  options = on_an_h100();
  options.compute.device.reset();
  EXPECT_THROW(make_plan(options, trace, 0, 8), BadUsage) << "no times";
}

}  // namespace
}  // namespace ringmark::replay
