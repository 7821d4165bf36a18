#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/replay/generate/generate.hpp"
#include "bench/replay/model/model_file.hpp"
#include "bench/replay/step/compute_model.hpp"
#include "bench/replay/step/memory.hpp"
#include "bench/replay/step/timeline_file.hpp"
#include "tests/programs/result_folder.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

StepSettings zero(int stage, int ranks) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.ranks = ranks;
  settings.micro_steps = 2;
  return settings;
}

std::uint64_t largest_batch(const Model& model, const StepSettings& settings, double device_bytes) {
  return largest_micro_batch(memory_of(model, settings), settings.micro_batch, device_bytes).value();
}

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
    EXPECT_THAT(error.what(), HasSubstr("bad.yaml:2: a device: 'peek' is unknown"));
  }
  EXPECT_THROW(load_device("tpu"), BadUsage);
}

/// Model states as the ZeRO paper has them: 16, 4 + 12/N, 2 + 14/N and 16/N bytes for a parameter.
TEST(MemoryOfARank, is_that_of_the_paper_for_states) {
  const auto model = load_model("llama2-7b");
  const auto states = [&](int stage, int ranks) {
    auto settings = zero(stage, ranks);
    settings.framework = *parse_framework("deepspeed-0.17.6");
    const auto memory = memory_of(model, settings);
    return (memory[0].bytes + memory[1].bytes + memory[2].bytes) / static_cast<double>(model.elements());
  };
  EXPECT_DOUBLE_EQ(states(0, 64), 16);
  EXPECT_DOUBLE_EQ(states(1, 64), 4 + 12.0 / 64);
  EXPECT_DOUBLE_EQ(states(2, 64), 2 + 14.0 / 64);
  EXPECT_DOUBLE_EQ(states(3, 64), 16.0 / 64);
}

TEST(MemoryOfARank, has_no_states_of_what_is_frozen) {
  auto model = load_model("llama2-7b");
  for (auto& parameter : model.parameters) parameter.requires_grad = parameter.name.find("q_proj") != std::string::npos;
  const auto memory = memory_of(model, zero(1, 64));
  const auto all = static_cast<double>(model.elements()), trained = static_cast<double>(model.trained_elements());
  ASSERT_LT(trained, all / 10);
  EXPECT_DOUBLE_EQ(memory[0].bytes, 2 * all);
  EXPECT_DOUBLE_EQ(memory[1].bytes, 2 * trained);
  EXPECT_DOUBLE_EQ(memory[2].bytes, 12 * trained / 64);
}

TEST(MemoryOfARank, follows_what_the_framework_keeps) {
  const auto model = load_model("llama-8b");
  const auto part = [&](const StepSettings& settings, const std::string& what) {
    for (const auto& [name, bytes, grows] : memory_of(model, settings)) {
      if (name == what) return bytes;
    }
    return 0.0;
  };
  const auto p = static_cast<double>(model.elements());
  StepSettings megatron;
  megatron.framework = *parse_framework("megatron");
  megatron.ranks = 16;
  EXPECT_DOUBLE_EQ(part(megatron, "gradients"), 4 * p) << "in the type that it reduces";
  auto accumulating = zero(1, 16);
  accumulating.accumulates_in_float32 = true;
  EXPECT_DOUBLE_EQ(part(accumulating, "gradients in float32"), 4 * p);
  auto offloading = zero(3, 16);
  offloading.offloads_optimizer = true;
  EXPECT_EQ(part(offloading, "optimizer states"), 0);
  StepSettings fsdp;
  fsdp.framework = *parse_framework("pytorch-fsdp");
  fsdp.ranks = 16;
  EXPECT_GT(part(fsdp, "gathered weights"), 2 * 1'050'677'248.0) << "the root unit stays";
}

TEST(MemoryOfARank, knows_of_layers_that_a_description_recomputes) {
  auto model = load_model("opt-125m");
  const double kept = total_bytes(memory_of(model, zero(2, 8)));
  recompute_layers(model);
  EXPECT_LT(total_bytes(memory_of(model, zero(2, 8))), kept);
}

TEST(MemoryOfARank, says_nothing_of_batches_without_dimensions) {
  auto model = load_model("opt-125m");
  model.dimensions = {};
  EXPECT_FALSE(largest_micro_batch(memory_of(model, zero(2, 8)), 1, 80e9).has_value());
}

TEST(MemoryOfARank, bounds_the_micro_batch) {
  constexpr double GiB = 1024.0 * 1024 * 1024;
  const auto model = load_model("llama-8b");
  auto settings = zero(2, 64);
  const auto largest = largest_batch(model, settings, 80 * GiB);
  ASSERT_GT(largest, 0U);
  settings.micro_batch = largest;
  EXPECT_THAT(describe(memory_of(model, settings), 80 * GiB), HasSubstr("fits: "));
  settings.micro_batch = largest + 1;
  EXPECT_THAT(describe(memory_of(model, settings), 80 * GiB), HasSubstr("out of memory: "));
  settings.recompute = true;
  EXPECT_GT(largest_batch(model, settings, 80 * GiB), 2 * largest);
  EXPECT_EQ(largest_batch(load_model("llama2-70b"), zero(2, 8), 80 * GiB), 0U);
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
