// Steps recorded from PyTorch and DeepSpeed, event for event.

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "replay/generate/ds_config.hpp"
#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

const std::string files = RINGMARK_REPLAY_FILES;

Json recorded(const std::string& file) {
  std::ifstream in(files + "/" + file);
  return Json::parse(in).at("traces");
}

StepSettings settings_of(const Json& step, std::uint64_t hidden) {
  const auto framework = parse_framework(step.at("framework").get<std::string>());
  StepSettings settings;
  if (step.contains("ds_config"))
    settings =
        ds_config_from_json("ds_config", step["ds_config"].dump(), *framework, hidden, step.at("ranks")).settings;
  settings.framework = *framework;
  settings.ranks = step.at("ranks");
  settings.micro_steps = step.at("grad_accum");
  settings.parameter_groups = step.at("param_groups");
  if (step.contains("overlap")) settings.overlap = parse_overlap(step["overlap"].get<std::string>());
  if (step.contains("bucket_cap_mb")) settings.bucket_cap_bytes = step["bucket_cap_mb"].get<std::uint64_t>() << 20U;
  const auto type = step.at("dtype").get<std::string>();
  settings.type = type == "fp32" ? DataType::float32 : type == "fp16" ? DataType::float16 : DataType::bfloat16;
  return settings;
}

std::vector<std::string> lines_of(const StepTrace& trace) {
  std::vector<std::string> lines;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    Json line{event.micro_step, name(event.phase), name(event.collective),
              event.elements,   name(event.type),  event.is_async};
    if (is_rooted(event.collective)) line.push_back(event.root);
    lines.push_back(line.dump());
  }
  return lines;
}

void expect_generated(const Model& model, const Json& step) {
  SCOPED_TRACE(step.at("name").get<std::string>());
  std::vector<std::string> expected;
  for (const auto& event : step.at("events")) expected.push_back(event.dump());
  EXPECT_EQ(lines_of(generate(model, settings_of(step, 0))), expected);
}

TEST(RecordedSteps, are_generated_event_for_event) {
  const auto model = load_model(files + "/llama4.model.json");
  const auto steps = recorded("recorded_steps.json");
  ASSERT_EQ(steps.size(), 14U);
  for (const auto& step : steps) expect_generated(model, step);
}

// Frozen tensors, low-rank adapters, tensors that no module uses, an optimizer's own groups.
TEST(RecordedSteps, of_models_that_are_trained_in_part_are_too) {
  const auto steps = recorded("partly_trained_steps.json");
  ASSERT_EQ(steps.size(), 9U);
  for (const auto& step : steps)
    expect_generated(model_from_description(step.at("name"), step.at("model").dump()), step);
}

}  // namespace
}  // namespace ringmark::replay
