#include <filesystem>
#include <fstream>
#include <utility>

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

TEST(Devices, of_one_chip_differ_in_memory_and_power_alone) {
  for (const auto& [one, other] :
       {std::pair{"a100", "a100-40"}, std::pair{"h100", "h200"}, std::pair{"gb200", "gb300"}}) {
    const auto a = load_device(one), b = load_device(other);
    EXPECT_EQ(a.peak_TFLOPS, b.peak_TFLOPS) << other;
    EXPECT_EQ(a.peak_TFLOPS_float32, b.peak_TFLOPS_float32) << other;
    EXPECT_EQ(a.peak_TFLOPS_float8, b.peak_TFLOPS_float8) << other;
    EXPECT_EQ(a.attention_efficiency, b.attention_efficiency) << other;
    EXPECT_EQ(a.tuned_attention_efficiency, b.tuned_attention_efficiency) << other;
    EXPECT_EQ(a.vendor_attention_efficiency, b.vendor_attention_efficiency) << other;
  }
  EXPECT_EQ(load_device("a100").memory_efficiency, load_device("a100-40").memory_efficiency);
  EXPECT_EQ(load_device("a100").multiprocessors, load_device("a100-40").multiprocessors);
}

TEST(Devices, have_their_datasheets_peaks_bandwidths_and_power) {
  struct Sheet {
    const char* name;
    double TFLOPS, float8, GBps, GiB, watts;
  };
  for (const auto& sheet :
       {Sheet{"v100", 125, 0, 900, 32, 300}, Sheet{"a10", 125, 0, 600, 22.5, 150},
        Sheet{"b300", 2250, 4500, 8000, 268, 1100}, Sheet{"l40s", 362, 733, 864, 45, 350},
        Sheet{"mi325x", 1307, 2615, 6000, 256, 1000}, Sheet{"mi355x", 2517, 5033, 8000, 288, 1400}}) {
    const auto device = load_device(sheet.name);
    EXPECT_EQ(device.peak_TFLOPS, sheet.TFLOPS) << sheet.name;
    EXPECT_EQ(device.peak_TFLOPS_float8, sheet.float8) << sheet.name;
    EXPECT_EQ(device.memory_GBps, sheet.GBps) << sheet.name;
    EXPECT_EQ(device.memory_GiB, sheet.GiB) << sheet.name;
    EXPECT_EQ(device.power_watts, sheet.watts) << sheet.name;
    EXPECT_TRUE(device.knows_operators()) << sheet.name;
  }
}

TEST(Devices, compute_half_as_much_in_tf32_where_they_have_it_and_twice_as_much_in_fp8) {
  for (const auto& name : shipped_devices()) {
    const auto device = load_device(name);
    constexpr double rounding = 0.03;
    const bool lacks_tf32 = name == "v100" || name == "mi355x";
    if (lacks_tf32) {
      EXPECT_LT(device.peak_TFLOPS_float32, device.peak_TFLOPS / 7) << name;
    } else {
      EXPECT_NEAR(2 * device.peak_TFLOPS_float32 / device.peak_TFLOPS, 1, rounding) << name;
    }
    if (device.peak_TFLOPS_float8 == 0) continue;
    EXPECT_NEAR(device.peak_TFLOPS_float8 / device.peak_TFLOPS, 2, rounding) << name;
  }
}

TEST(Devices, of_files_have_limits_of_power_and_defaults_of_attention) {
  const testing_support::ResultFolder folder;
  const auto h100 = load_device("h100");
  std::ofstream(folder.file("limited.yaml")) << "base: h100\npower_limit_watts: 87.5\n";
  const auto limited = load_device(folder.file("limited.yaml"));
  EXPECT_NEAR(limited.peak_TFLOPS, h100.peak_TFLOPS / 2, 1e-9) << "an eighth of 700 W";
  EXPECT_EQ(limited.power_watts, 87.5);
  EXPECT_EQ(limited.vendor_attention_efficiency, h100.vendor_attention_efficiency);
  std::ofstream(folder.file("new.yaml")) << "peak_TFLOPS: 1000\nmemory_GBps: 3000\nmemory_GiB: 80\n"
                                            "multiprocessors: 100\nproduct_efficiency: 0.7\n"
                                            "attention_efficiency: 0.2\ntuned_attention_efficiency: 0.4\n";
  EXPECT_EQ(load_device(folder.file("new.yaml")).vendor_attention_efficiency, 0.4);
  const auto why = [&](const std::string& text) -> std::string {
    std::ofstream(folder.file("bad.yaml")) << text;
    try {
      load_device(folder.file("bad.yaml"));
      return "read";
    } catch (const BadUsage& error) {
      return error.what();
    }
  };
  EXPECT_THAT(why("base: h100\nmemory_efficiency: 1.05\n"), HasSubstr("memory_efficiency"));
  EXPECT_EQ(why("base: h100\nproduct_efficiency: 1.05\n"), "read") << "its overhead is counted beside it";
  EXPECT_THAT(why("base: h100\npower_limit_watts: 800\n"), HasSubstr("give a lower limit"));
  EXPECT_THAT(why("peak_TFLOPS: 1000\nmemory_GBps: 3000\nmemory_GiB: 80\npower_limit_watts: 300\n"),
              HasSubstr("give power_watts in the device's file"));
}

TEST(TimelineFile, is_read_by_perfetto) {
  const auto trace = generate(load_model("opt-125m"), zero(1, 2));
  Timeline line{std::vector<double>(trace.events.size(), 1), std::vector<double>(trace.events.size(), 3), 3};
  const testing_support::ResultFolder folder;
  TimelineFile file(folder.file("t.json"));
  for (const int rank : {0, 1}) file.add(rank, trace, line);
  file.write();
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
