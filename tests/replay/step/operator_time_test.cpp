#include "replay/step/operator_time.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "replay/generate/generate.hpp"
#include "replay/model/eager_layers.hpp"
#include "replay/model/model_file.hpp"
#include "replay/step/compute_model.hpp"
#include "results/files/csv.hpp"
#include "results/statistics/statistics.hpp"
#include "tests/replay/step_fixture.hpp"

namespace ringmark::replay {
namespace {

const Software& fused = software_of(Software::Kind::fused_attention);
const Software& unfused = software_of(Software::Kind::unfused);

double share_of_peak(const Device& device, double rows, double columns, double inner) {
  const double TFLOPS = device.peak_TFLOPS * device.product_efficiency;
  return 2 * rows * columns * inner / (product_us(device.multiprocessors, TFLOPS, rows, columns, inner) * 1e6) /
         device.peak_TFLOPS;
}

TEST(ProductTime, reaches_the_devices_share_where_tiles_fill_all_waves) {
  const auto device = load_device("a100");
  const double full = share_of_peak(device, 256 * 108, 128 * 8, 65536);
  EXPECT_NEAR(full, device.product_efficiency, 0.01 * device.product_efficiency);
  EXPECT_LT(share_of_peak(device, 256 * 108 + 1, 128, 65536), 0.75 * full) << "a second wave for a few tiles";
  EXPECT_LT(share_of_peak(device, 256 * 108, 128 * 8, 128), 0.6 * full) << "short sums";
}

TEST(ProductTime, small_products_take_small_tiles) {
  const auto device = load_device("a100");
  // 64 tiles of 64 × 64 run on 64 multiprocessors; tiles of 256 × 128 would leave all but eight idle.
  EXPECT_GT(share_of_peak(device, 512, 512, 4096), 2 * 8.0 / 108 * device.product_efficiency);
}

/// Products that cuBLAS computed on an H200 (tests/replay/files/measure_gpu_products.py), less those whose launch takes
/// longer, and those of an odd vocabulary.
TEST(ProductTime, is_near_the_products_of_a_device) {
  const auto device = load_device("h200");
  std::vector<double> ratios, errors;
  const auto file = std::string(RINGMARK_REPLAY_FILES) + "/h200_products.csv";
  for (const auto& row : parse_csv(whole_text(file, file))) {
    const auto number = [&](std::size_t column) { return std::stod(row.at(column)); };
    constexpr double launch_us = 20;
    if (row.front() != "bf16" || number(4) < launch_us || number(2) == 50257) continue;
    Event event;
    event.flops = 1;
    event.operators = {Operator{Operator::Kind::product, number(1), number(2), number(3)}};
    const double ratio = device_us(event, device, fused, false) / number(4);
    EXPECT_GT(ratio, 0.7) << fmt::format("{}", fmt::join(row, ","));
    EXPECT_LT(ratio, 1.2) << fmt::format("{}", fmt::join(row, ","));
    ratios.push_back(ratio);
    errors.push_back(std::abs(ratio - 1));
  }
  ASSERT_EQ(ratios.size(), 63U);
  EXPECT_NEAR(median(ratios), 1, 0.05);
  EXPECT_LT(median(errors), 0.08);
}

TEST(ProductTime, of_an_odd_vocabulary_is_long_unless_software_pads_it) {
  const auto device = load_device("h100");
  const auto us = [&](double tokens, double vocabulary, Software::Kind software) {
    Event event;
    event.flops = 1;
    event.operators = {Operator{Operator::Kind::product, tokens, vocabulary, 768},
                       Operator{Operator::Kind::loss, tokens, vocabulary}};
    return device_us(event, device, software_of(software), false);
  };
  using enum Software::Kind;
  for (const auto software : {fused_attention, transformers})
    EXPECT_GT(us(8192, 50257, software), 2.5 * us(8192, 50304, software)) << "the next multiple of 64";
  EXPECT_LT(us(8192, 50257, compiled), 1.01 * us(8192, 50304, compiled));
  EXPECT_LT(us(8191, 50304, fused_attention), 1.01 * us(8192, 50304, fused_attention)) << "any number of tokens";
}

TEST(ProductTime, in_fp8_gains_less_than_the_peak_and_spares_the_product_that_feeds_the_loss) {
  const auto device = load_device("h100");
  Event event;
  event.phase = Phase::forward;
  event.flops = 1;
  event.operators = {{Operator::Kind::product, 16384, 4096, 4096}};
  const auto gain = [&] {
    return device_us(event, device, fused, false) / device_us(event, device, fused, false, ProductType::float8);
  };
  const double in_forward = gain();
  EXPECT_GT(in_forward, 1.3);
  EXPECT_LT(in_forward, device.peak_TFLOPS_float8 / device.peak_TFLOPS);
  event.phase = Phase::backward;  // which casts the gradient for two products, and no weight
  EXPECT_GT(gain(), in_forward);
  event.operators.push_back({Operator::Kind::loss, 16384, 4096});
  EXPECT_DOUBLE_EQ(gain(), 1);
  EXPECT_THROW(require_products(load_device("a100"), ProductType::float8, "--product-dtype"), BadUsage);
}

TEST(ProductTime, in_fp8_differs_for_float32_by_the_bytes_that_the_cast_reads) {
  const auto device = load_device("h100");
  constexpr double rows = 16384, columns = 4096, inner = 2048;
  Event event;
  event.phase = Phase::forward;
  event.flops = 1;
  event.operators = {{Operator::Kind::product, rows, columns, inner}};
  const auto more_us = [&](const Software& software) {
    const auto us = [&](bool is_float32) {
      return device_us(event, device, software, is_float32, ProductType::float8);
    };
    return us(true) - us(false);
  };
  const double read_us = 2 * (rows + columns) * inner / (device.memory_GBps * 1e3 * device.memory_efficiency);
  EXPECT_NEAR(more_us(software_of(Software::Kind::megatron_core)), read_us, 1e-6);
  EXPECT_NEAR(more_us(fused), 2 * read_us, 1e-6) << "it reads the matrix for its scale first";
}

TEST(ProductTime, in_fp8_has_the_cast_of_what_the_pass_multiplies) {
  const auto device = load_device("h100");
  constexpr double rows = 16384, columns = 4096, inner = 2048;
  Event event;
  event.flops = 1;
  event.operators = {{Operator::Kind::product, rows, columns, inner}};
  const auto us = [&](Phase phase, const Software& software) {
    event.phase = phase;
    return device_us(event, device, software, false, ProductType::float8);
  };
  const double elements_less = (rows + columns) * inner - rows * inner / 2;
  const double bytes_per_us = device.memory_GBps * 1e3 * device.memory_efficiency;
  const auto& late = software_of(Software::Kind::megatron_core);
  EXPECT_NEAR(us(Phase::forward, late) - us(Phase::backward, late), 4 * elements_less / bytes_per_us, 1e-6)
      << "2 bytes are read, and 2 written";
  EXPECT_NEAR(us(Phase::forward, fused) - us(Phase::backward, fused), 6 * elements_less / bytes_per_us, 1e-6)
      << "4 are read";
}

TEST(LossTime, is_that_of_the_bytes_of_the_logits) {
  const auto device = load_device("h100");
  const auto& software = software_of(Software::Kind::transformers);
  Event event;
  event.phase = Phase::forward;
  event.flops = 1;
  event.operators = {{Operator::Kind::loss, 4096, 32000}};
  const double logits_per_us = device.memory_GBps * 1e3 * device.memory_efficiency / (4096.0 * 32000);
  EXPECT_NEAR(device_us(event, device, software, false) * logits_per_us, software.loss_bytes_per_logit / 3, 1e-9);
  EXPECT_NEAR(device_us(event, device, software, true) * logits_per_us, *software.float32_loss_bytes_per_logit / 3,
              1e-9);
  event.phase = Phase::backward;
  EXPECT_NEAR(device_us(event, device, software, false) * logits_per_us, 2 * software.loss_bytes_per_logit / 3, 1e-9);
  ASSERT_NE(software.loss_bytes_per_logit, *software.float32_loss_bytes_per_logit);
}

Event attention_event(Phase phase) {
  Event event;
  event.phase = phase;
  event.flops = 1;
  event.operators = {{Operator::Kind::attention, 8192, 2048, 4096, 32}};
  return event;
}

TEST(AttentionTime, computes_scores_again_in_the_backward_pass_and_moves_them_if_it_is_not_fused) {
  const auto device = load_device("a100");
  const double forward = device_us(attention_event(Phase::forward), device, fused, false);
  EXPECT_NEAR(forward, 2.0 * 8192 * 2048 * 4096 / (device.peak_TFLOPS * 1e6 * device.attention_efficiency),
              1e-9 * forward);
  EXPECT_DOUBLE_EQ(device_us(attention_event(Phase::backward), device, fused, false), 2.5 * forward);
  EXPECT_DOUBLE_EQ(device_us(attention_event(Phase::recompute), device, fused, false), forward);
  auto faster = device;
  faster.memory_GBps *= 2;
  EXPECT_DOUBLE_EQ(device_us(attention_event(Phase::forward), faster, fused, false), forward);
  EXPECT_LT(device_us(attention_event(Phase::forward), faster, unfused, false),
            device_us(attention_event(Phase::forward), device, unfused, false));
}

TEST(AttentionTime, tuned_kernels_reach_their_share_in_long_sequences) {
  const auto device = load_device("h100");
  const auto& compiled = software_of(Software::Kind::compiled);
  const auto& vendors = software_of(Software::Kind::megatron_core);
  // FlashAttention-3's figures 5 and 6 have these TFLOP/s of both passes, for FlashAttention-2 and cuDNN.
  const auto TFLOPS = [&](const Software& software, double tokens) {
    return attention_share(device, software, tokens) * device.peak_TFLOPS;
  };
  EXPECT_NEAR(TFLOPS(compiled, 512), 207, 0.1 * 207);
  EXPECT_NEAR(TFLOPS(compiled, 2048), 293, 0.1 * 293);
  EXPECT_NEAR(TFLOPS(compiled, 16384), 326, 0.1 * 326);
  EXPECT_NEAR(TFLOPS(vendors, 512), 308, 0.1 * 308);
  EXPECT_NEAR(TFLOPS(vendors, 2048), 470, 0.1 * 470);
  EXPECT_NEAR(TFLOPS(vendors, 16384), 522, 0.1 * 522);
  EXPECT_EQ(attention_share(device, fused, 512), attention_share(device, fused, 16384));
}

TEST(AttentionTime, with_a_window_is_that_of_the_scores_within) {
  const auto device = load_device("a100");
  auto event = attention_event(Phase::forward);
  const double all = device_us(event, device, fused, false);
  auto& attention = event.operators.front();
  attention.window = attention.columns;
  EXPECT_DOUBLE_EQ(device_us(event, device, fused, false), all) << "the window holds the sequence";
  attention.window = attention.columns / 4;
  // The first quarter of the tokens sees a half of the window on average, the others see all of it.
  EXPECT_DOUBLE_EQ(attention.attended(), attention.columns * (0.25 * 0.125 + 0.75 * 0.25));
  EXPECT_NEAR(device_us(event, device, fused, false) / all, attention.attended() / (attention.columns / 2), 1e-9);
  EXPECT_DOUBLE_EQ(device_us(event, device, unfused, false),
                   device_us(attention_event(Phase::forward), device, unfused, false))
      << "scores that are masked are computed";
}

TEST(PowerLimit, slows_products_by_its_cube_root_and_leaves_memory) {
  const auto device = load_device("h100");
  const auto limited = limited_to(device.power_watts / 8, device, "limit");
  EXPECT_NEAR(limited.peak_TFLOPS, device.peak_TFLOPS / 2, 1e-9);
  EXPECT_NEAR(limited.peak_TFLOPS_float8, device.peak_TFLOPS_float8 / 2, 1e-9);
  EXPECT_EQ(limited.memory_GBps, device.memory_GBps);
  EXPECT_THROW(limited_to(device.power_watts + 1, device, "limit"), BadUsage);
}

TEST(Operators, say_what_the_operations_of_an_event_are) {
  const auto trace = generate(load_model("opt-125m"), zero(1, 2));
  int products = 0, attentions = 0, losses = 0;
  for (const auto& event : trace.events) {
    double flops = 0;
    for (const auto& each : event.operators) {
      if (each.kind == Operator::Kind::product) flops += 2 * each.rows * each.columns * each.inner;
      products += each.kind == Operator::Kind::product ? 1 : 0;
      attentions += each.kind == Operator::Kind::attention ? 1 : 0;
      losses += each.kind == Operator::Kind::loss ? 1 : 0;
    }
    if (flops > 0) {
      EXPECT_DOUBLE_EQ(flops, event.flops) << event.tag;
    }
  }
  // Two micro-steps of 12 layers with 6 matrices, and the head: once forward, twice backward.
  EXPECT_EQ(products, 2 * 3 * (12 * 6 + 1));
  EXPECT_EQ(attentions, 2 * 2 * 12);
  EXPECT_EQ(losses, 2 * 2);
}

TEST(Operators, of_matrices_with_inputs_first_have_the_same_shapes) {
  const auto trace = generate(load_model("cerebras-590m"), zero(1, 2));
  for (const auto& event : trace.events) {
    if (event.tag != "transformer.h.0.mlp.c_fc" || event.phase != Phase::forward) continue;
    EXPECT_EQ(event.operators, (std::vector<Operator>{{Operator::Kind::product, 2048, 6144, 1536}}));
  }
}

double computation_us(const Model& model, std::uint64_t micro_batch, Software::Kind software) {
  auto settings = zero(1, 2);
  settings.micro_batch = micro_batch;
  settings.sequence = 512;
  const auto trace = generate(model, settings);
  ComputeModel compute{.device = load_device("a100")};
  compute.software = software;
  double sum = 0;
  for (const double us : durations_us(trace, compute)) sum += us;
  return sum;
}

/// Bytes that the step's passes move at a device without products' and attention's time, in a phase of a micro-step.
double bytes_passed(const StepTrace& trace, Software::Kind software, Phase phase) {
  auto device = load_device("h200");
  device.launch_us = 0;
  ComputeModel compute{.device = device};
  compute.software = software;
  const auto all_us = durations_us(trace, compute);
  auto without = trace;
  for (auto& event : without.events) {
    if (event.kind == EventKind::compute) event.memory_bytes = 0;
  }
  const auto rest_us = durations_us(without, compute);
  double us = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    us += trace.events[i].phase == phase ? all_us[i] - rest_us[i] : 0;
  return us * device.memory_GBps * 1e3 * device.memory_efficiency;
}

TEST(Passes, of_transformers_move_what_was_counted_for_the_type_of_model) {
  StepSettings settings;
  settings.framework.kind = Framework::Kind::pytorch_ddp;
  settings.micro_batch = 4;
  settings.sequence = 1024;
  for (const auto* name : {"opt-1.3b", "cerebras-590m", "llama-440m"}) {
    SCOPED_TRACE(name);
    const auto model = load_model(name);
    const auto trace = generate(model, settings);
    const auto layer = eager_layer_bytes(model, Precision::autocast).value();
    const double in_layers = 4.0 * 1024 * static_cast<double>(model.dimensions.layers);
    const double copies = 6.0 * static_cast<double>(model.elements() - looked_up_elements(model));
    EXPECT_NEAR(
        bytes_passed(trace, Software::Kind::transformers, Phase::forward) / (in_layers * layer.forward + copies), 1,
        1e-6);
    EXPECT_NEAR(
        bytes_passed(trace, Software::Kind::transformers, Phase::backward) / (in_layers * layer.backward + copies), 1,
        1e-6);
  }
}

TEST(Passes, of_other_software_and_of_unknown_models_are_those_of_the_software) {
  const auto model = load_model("opt-125m");
  auto trace = generate(model, zero(1, 2));
  ASSERT_TRUE(trace.eager_passes.has_value());
  auto unknown = trace;
  unknown.eager_passes.reset();
  double once = 0;
  for (const auto& event : trace.events)
    once += event.kind == EventKind::compute && event.phase == Phase::forward ? event.memory_bytes : 0;
  using enum Software::Kind;
  for (const auto software : {unfused, fused_attention, compiled, megatron_core})
    EXPECT_EQ(bytes_passed(trace, software, Phase::forward), bytes_passed(unknown, software, Phase::forward));
  EXPECT_NEAR(bytes_passed(unknown, transformers, Phase::forward) / once, 4.8, 1e-6);

  auto described = model;
  described.type.clear();
  EXPECT_FALSE(generate(described, zero(1, 2)).eager_passes.has_value());
}

TEST(Launches, decide_small_batches_of_software_that_launches_slowly) {
  const auto model = load_model("opt-125m");
  const auto growth = [&](Software::Kind software) {
    return computation_us(model, 2, software) / computation_us(model, 1, software);
  };
  EXPECT_LT(growth(Software::Kind::unfused), 1.1);
  EXPECT_GT(growth(Software::Kind::megatron_core), 1.5);
}

}  // namespace
}  // namespace ringmark::replay
