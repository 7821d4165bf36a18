// Steps that Megatron-LM 0.19.2 issued with tensor, sequence, pipeline and expert parallelism, call for call;
// tests/replay/files/pack_role_steps.py says how they were made.

#include <gtest/gtest.h>

#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/megatron/step.hpp"
#include "tests/replay/recorded_calls.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay::megatron {
namespace {

/// Parts that an expert tensor group gathers depend on routing, which a generated step cannot know.
bool gathers_unequal_parts(const nlohmann::json& step) {
  const auto args = step["args"].get<std::string>();
  return args.find("alltoall") != std::string::npos &&
         args.find("--tensor-model-parallel-size 2") != std::string::npos &&
         args.find("--expert-model-parallel-size") != std::string::npos &&
         args.find("--expert-tensor-parallel-size 1") == std::string::npos &&
         args.find("--moe-pad-expert-input-to-capacity") == std::string::npos;
}

TEST(RecordedMegatronSteps, are_generated_call_for_call) {
  const auto steps = testing_support::recorded_json("megatron_steps");
  int equal = 0, unequal_parts = 0;
  for (const auto& step : steps) {
    if (gathers_unequal_parts(step)) {
      ++unequal_parts;
      continue;
    }
    const auto arguments = read_arguments("args", step["args"].get<std::string>(), step["world"].get<int>());
    const auto found = testing_support::difference(generate(arguments.settings), step["ranks"]);
    EXPECT_EQ(found, "") << step["name"];
    equal += found.empty() ? 1 : 0;
  }
  EXPECT_EQ(steps.size(), 186U);
  EXPECT_EQ(equal, 184);
  EXPECT_EQ(unequal_parts, 2);
}

}  // namespace
}  // namespace ringmark::replay::megatron
