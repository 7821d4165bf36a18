#include "replay/step/compute_model.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

/// Of passes on any rank, whose times are one where stages are.
TEST(Durations, of_a_step_with_roles_add_up_to_measured_passes) {
  const auto trace = testing_support::small_roles("--global-batch-size 8", 2);
  ComputeModel model{.device = load_device("h100")};
  model.forward_ms = 3;
  model.step_ms = 5;
  model.scale = 2;
  const auto durations = durations_us(trace, model);
  double forward_us = 0, step_us = 0;
  for (const auto& play : trace.roles.at(0).plays) {
    const auto pass = static_cast<std::size_t>(play.pass);
    for (std::size_t i = 0; i < durations[pass].size(); ++i) {
      const auto& event = trace.passes[pass].events[i];
      if (event.kind != EventKind::compute) continue;
      if (event.phase == Phase::forward) forward_us += durations[pass][i];
      if (event.phase == Phase::step) step_us += durations[pass][i];
    }
  }
  EXPECT_NEAR(forward_us, 2 * 4 * 3000, 1e-6) << "four micro-batches";
  EXPECT_NEAR(step_us, 2 * 5000, 1e-6);
  EXPECT_THROW(durations_us(testing_support::small_roles(testing_support::tensors_and_pipeline, 4), model), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
