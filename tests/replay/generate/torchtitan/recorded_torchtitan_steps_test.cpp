// Steps that torchtitan 0.3.0 issued with data, tensor, sequence, pipeline, context and expert parallelism, call for
// call; tests/replay/files/pack_role_steps.py says how they were made.

#include <gtest/gtest.h>

#include "replay/generate/torchtitan/arguments.hpp"
#include "replay/generate/torchtitan/step.hpp"
#include "tests/replay/recorded_calls.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay::torchtitan {
namespace {

TEST(RecordedTorchtitanSteps, are_generated_call_for_call) {
  const auto steps = testing_support::recorded_json("torchtitan_steps");
  for (const auto& step : steps) {
    const auto arguments = read_arguments("config", step["args"].get<std::string>(), step["world"].get<int>());
    EXPECT_EQ(testing_support::difference(generate(arguments.settings), step["ranks"]), "") << step["name"];
  }
  EXPECT_EQ(steps.size(), 63U);
}

}  // namespace
}  // namespace ringmark::replay::torchtitan
