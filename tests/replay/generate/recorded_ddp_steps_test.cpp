// Steps of DistributedDataParallel that PyTorch 2.5, 2.8 and 2.12 issued, event for event;
// tests/replay/files/record_ddp_steps.py records them again.

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/replay/recorded_steps.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

StepSettings settings_of_ddp(const Json& step) {
  StepSettings settings;
  settings.framework = parse_framework(step.at("framework").get<std::string>()).value();
  settings.ranks = step.at("ranks");
  settings.micro_steps = step.at("grad_accum");
  const auto type = step.at("dtype").get<std::string>();
  settings.type = type == "fp32" ? DataType::float32 : type == "fp16" ? DataType::float16 : DataType::bfloat16;
  settings.find_unused_parameters = step.at("find_unused_parameters");
  constexpr double MiB = 1024 * 1024;
  if (step.contains("bucket_cap_mb"))
    settings.bucket_cap_bytes = static_cast<std::uint64_t>(step["bucket_cap_mb"].get<double>() * MiB);
  return settings;
}

std::string lines_of_ddp(const StepTrace& trace) {
  return testing_support::generated_lines(trace, [](const Event&, Json&) {});
}

TEST(RecordedDdpSteps, are_generated_event_for_event) {
  const auto recorded = testing_support::recorded_json("ddp_steps");
  const auto models = testing_support::models_of(recorded);
  std::map<std::string, int> all;
  int finds_unused = 0;
  for (const auto& step : recorded.at("steps")) {
    SCOPED_TRACE(testing_support::settings_text(step));
    const auto settings = settings_of_ddp(step);
    EXPECT_EQ(lines_of_ddp(generate(models.at(step.at("model")), settings)), testing_support::recorded_lines(step));
    ++all[step.at("framework")];
    finds_unused += settings.find_unused_parameters ? 1 : 0;
  }
  EXPECT_EQ(all.size(), 3U) << "versions";
  for (const auto& [framework, count] : all) EXPECT_GE(count, 20) << framework;
  EXPECT_GE(finds_unused, 5);
}

}  // namespace
}  // namespace ringmark::replay
