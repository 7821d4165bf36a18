#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/step/timeline_file.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

double sum_of(const StepTrace& trace, const std::vector<double>& durations, Phase phase) {
  double sum = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (trace.events[i].kind == EventKind::compute && trace.events[i].phase == phase) sum += durations[i];
  }
  return sum;
}

TEST(Durations, add_up_to_what_was_measured) {
  const auto trace = generate(load_model("opt-125m"), zero(2, 4));
  ComputeModel model{load_device("a100"), 10, 20, 3, 1};
  auto durations = durations_us(trace, model);
  EXPECT_NEAR(sum_of(trace, durations, Phase::forward), 2 * 10'000, 1e-6);
  EXPECT_NEAR(sum_of(trace, durations, Phase::backward), 2 * 20'000, 1e-6);
  EXPECT_NEAR(sum_of(trace, durations, Phase::step), 3'000, 1e-6);
  model.scale = 0.5;
  EXPECT_NEAR(sum_of(trace, durations_us(trace, model), Phase::forward), 10'000, 1e-6);
}

TEST(Durations, of_a_device_are_its_arithmetic_or_its_memory) {
  StepTrace trace;
  Event event;
  event.flops = 1e12;
  trace.events.push_back(event);
  event.flops = 0;
  event.memory_bytes = 1e9;
  trace.events.push_back(event);
  const auto durations = durations_us(trace, {Device{"d", 100, 50, 0.5, 1000, 0.8, 80}, {}, {}, {}, 1});
  EXPECT_DOUBLE_EQ(durations[0], 20'000);
  EXPECT_DOUBLE_EQ(durations[1], 1'250);
}

TEST(Devices, are_read_from_files) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("mi300.yaml"))
      << "peak_TFLOPS: 1307\nefficiency: 0.35\nmemory_GBps: 5300\nmemory_GiB: 192\n";
  const auto device = load_device(folder.file("mi300.yaml"));
  EXPECT_EQ(device.name, "mi300");
  EXPECT_EQ(device.memory_GiB, 192);
  std::ofstream(folder.file("bad.yaml")) << "peak_TFLOPS: 1307\npeek: 1\n";
  try {
    load_device(folder.file("bad.yaml"));
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad.yaml:2: a device: 'peek' "));
  }
  EXPECT_THROW(load_device("tpu"), BadUsage);
}

TEST(TimelineFile, is_read_by_perfetto) {
  const auto trace = generate(load_model("opt-125m"), zero(1, 2));
  Timeline line{std::vector<double>(trace.events.size(), 1), std::vector<double>(trace.events.size(), 3), 3};
  const testing_support::ResultFolder folder;
  write_timelines(folder.file("t.json"), trace, {{0, line}, {1, line}});
  std::ifstream in(folder.file("t.json"));
  const auto json = nlohmann::json::parse(in);
  std::size_t collectives = 0;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    EXPECT_EQ(event.at("dur"), 2);
    collectives += event.at("args").contains("elements") ? 1 : 0;
  }
  EXPECT_EQ(collectives, 2U * 3U);  // gradients, norm, weights of both ranks
}

}  // namespace
}  // namespace ringmark::replay
