// Steps of FSDP and FSDP2 that PyTorch 2.4 to 2.15 issued, event for event;
// tests/replay/files/record_fsdp_steps.py records them again.

#include <array>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/replay/recorded_steps.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

DataType type_of(const std::string& word) {
  return word == "fp32" ? DataType::float32 : word == "fp16" ? DataType::float16 : DataType::bfloat16;
}

template <class Choice, std::size_t count>
Choice chosen(const std::array<std::pair<std::string_view, Choice>, count>& choices, const std::string& word) {
  for (const auto& [name, choice] : choices) {
    if (name == word) return choice;
  }
  ADD_FAILURE() << word;
  return choices[0].second;
}

StepSettings settings_of_fsdp(const Json& step) {
  StepSettings settings;
  settings.framework = parse_framework(step.at("framework").get<std::string>()).value();
  settings.ranks = step.at("ranks");
  settings.micro_steps = step.at("grad_accum");
  settings.type = type_of(step.at("dtype"));
  if (step.contains("reduce_dtype")) settings.reduce_type = type_of(step["reduce_dtype"]);
  if (step.value("recompute", false)) settings.recompute = {Recompute::Kind::full};
  settings.clips_gradients = step.value("clip_grad", true);
  auto& sharding = settings.sharding;
  sharding.strategy = chosen(sharding_strategies, step.value("sharding_strategy", "FULL_SHARD"));
  sharding.backward_prefetch = chosen(backward_prefetches, step.value("backward_prefetch", "BACKWARD_PRE"));
  if (step.contains("shard_degree")) sharding.degree = step["shard_degree"].get<int>();
  if (step.contains("reshard_after_forward")) {
    const auto& reshard = step["reshard_after_forward"];
    if (reshard.is_boolean()) sharding.reshard_after_forward = reshard.get<bool>();
    if (reshard.is_number()) sharding.reshard_after_forward = reshard.get<int>();
  }
  sharding.wraps_root_only = step.value("wrap", "layers") == "root";
  sharding.forward_prefetch = step.value("forward_prefetch", false);
  sharding.use_orig_params = step.value("use_orig_params", false);
  sharding.no_sync = step.value("no_sync", false);
  return settings;
}

/// The gathers of a checkpointed unit belong to the backward pass.
std::string lines_of_fsdp(const StepTrace& trace) {
  return testing_support::generated_lines(trace, [](const Event&, Json&) {});
}

TEST(RecordedFsdpSteps, are_generated_event_for_event) {
  const auto recorded = testing_support::recorded_json("fsdp_steps");
  const auto models = testing_support::models_of(recorded);
  std::map<std::string, int> equal, all;
  for (const auto& step : recorded.at("steps")) {
    SCOPED_TRACE(testing_support::settings_text(step));
    const auto expected = testing_support::recorded_lines(step);
    const auto trace = generate(models.at(step.at("model")), settings_of_fsdp(step));
    ++all[step.at("framework")];
    equal[step.at("framework")] += lines_of_fsdp(trace) == expected ? 1 : 0;
    EXPECT_EQ(lines_of_fsdp(trace), expected);
  }
  EXPECT_EQ(all.size(), 10U) << "frameworks and versions";
  for (const auto& [framework, count] : all) {
    RecordProperty(framework, fmt::format("{} of {}", equal[framework], count));
    EXPECT_GE(count, 9) << framework;
  }
}

}  // namespace
}  // namespace ringmark::replay
