#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

TEST(Stage1, that_accumulates_in_float32_takes_the_optimizer_of_stage_0) {
  auto settings = deepspeed(1, 4);
  settings.framework = *parse_framework("deepspeed-0.19.6");
  settings.accumulates_in_float32 = true;
  const auto step = volume(generate(shipped("opt-125m"), settings), Phase::step);
  EXPECT_EQ(step.calls.at(Collective::all_gather), 1U);
  EXPECT_FALSE(step.calls.contains(Collective::all_reduce)) << "no norm";
}

TEST(Zero3, with_an_optimizer_on_the_host_takes_the_norm_in_float32) {
  auto settings = deepspeed(3, 4);
  const auto norm = [&] {
    for (const auto& event : generate(shipped("opt-125m"), settings).events) {
      if (event.phase == Phase::step && event.collective == Collective::all_reduce && event.elements == 1)
        return event.type;
    }
    return DataType::uint8;
  };
  EXPECT_EQ(norm(), DataType::float64);
  settings.offloads_optimizer = true;
  EXPECT_EQ(norm(), DataType::float32);
}

TEST(Zero3, may_fetch_by_all_reduce) {
  auto settings = deepspeed(3, 4);
  const auto gathered = volume(generate(shipped("opt-125m"), settings), Phase::forward);
  settings.fetches_by_all_reduce = true;
  const auto reduced = volume(generate(shipped("opt-125m"), settings), Phase::forward);
  EXPECT_GT(gathered.elements.at(Collective::all_gather), 0U);
  EXPECT_EQ(reduced.elements.at(Collective::all_reduce), gathered.elements.at(Collective::all_gather));
  EXPECT_FALSE(reduced.elements.contains(Collective::all_gather));
}

TEST(Zero3, fetches_one_parameter_by_all_gather_even_so) {
  auto settings = deepspeed(3, 4);
  settings.fetches_by_all_reduce = true;
  settings.prefetch_bucket = settings.persistence_threshold = 0;
  const auto forward = volume(generate(shipped("opt-125m"), settings), Phase::forward);
  EXPECT_GT(forward.calls.at(Collective::all_gather), 0U) << "an embedding is a module's only parameter";
  EXPECT_GT(forward.calls.at(Collective::all_reduce), 0U);
}

TEST(Zero3, may_fetch_each_parameter_by_itself) {
  auto settings = deepspeed(3, 4);
  settings.persistence_threshold = 0;
  const auto model = shipped("opt-125m");
  const auto together = volume(generate(model, settings), Phase::forward);
  settings.fetches_singly = true;
  const auto singly = volume(generate(model, settings), Phase::forward);
  EXPECT_GT(singly.calls.at(Collective::all_gather), together.calls.at(Collective::all_gather));
  EXPECT_GE(singly.calls.at(Collective::all_gather), model.parameters.size());
}

TEST(Stage1, with_an_optimizer_on_the_host_is_stage_1_whatever_it_accumulates_in) {
  auto settings = deepspeed(1, 4);
  settings.accumulates_in_float32 = settings.offloads_optimizer = true;
  const auto calls = [&] { return volume(generate(shipped("opt-125m"), settings), Phase::step).calls; };
  EXPECT_TRUE(calls().contains(Collective::all_reduce)) << "the norm";
  settings.offloads_to_disk = true;
  EXPECT_FALSE(calls().contains(Collective::all_reduce));
}

TEST(Zero2, with_an_offloaded_optimizer_keeps_gradients_contiguous) {
  auto settings = deepspeed(2, 4);
  settings.contiguous_gradients = settings.multi_rank_all_reduce = false;
  const auto calls = [&] { return volume(generate(shipped("opt-125m"), settings), Phase::backward).calls; };
  EXPECT_FALSE(calls().contains(Collective::reduce));
  settings.offloads_optimizer = true;
  EXPECT_GT(calls().at(Collective::reduce), 0U);
}

/// As adapters are trained: the layers' matrices stay as they are.
Model with_frozen_matrices() {
  auto model = shipped("opt-125m");
  for (auto& parameter : model.parameters)
    parameter.requires_grad = parameter.shape.size() < 2 || parameter.name.find("layers") == std::string::npos;
  return model;
}

TEST(Zero3, keeps_frozen_ones_of_a_recomputed_layer_from_0_19_3_on) {
  auto settings = deepspeed(3, 4);
  settings.recompute = {Recompute::Kind::full};
  settings.max_reuse_distance = settings.persistence_threshold = settings.prefetch_bucket = 0;
  const auto gathered = [&](const char* framework) {
    settings.framework = *parse_framework(framework);
    return volume(generate(with_frozen_matrices(), settings), Phase::backward).elements[Collective::all_gather];
  };
  EXPECT_LT(gathered("deepspeed-0.19.3"), gathered("deepspeed-0.19.2") / 2);
}

TEST(ZeroPlusPlus, keeps_second_copies_of_frozen_ones) {
  auto settings = deepspeed(3, 8);
  settings.secondary_partition = 4;
  settings.persistence_threshold = settings.prefetch_bucket = 0;
  const auto first_of_all = [&](const Model& model) {
    const auto trace = generate(model, settings);
    std::uint64_t elements = 0;
    for (const auto& event : trace.events) {
      if (event.phase == Phase::forward && event.kind == EventKind::collective && event.group == 0)
        elements += event.elements;
    }
    return elements;
  };
  EXPECT_LT(first_of_all(with_frozen_matrices()), first_of_all(shipped("opt-125m")) / 2);
}

TEST(OneRank, gathers_no_weights) {
  for (int stage = 1; stage <= 3; ++stage) {
    const auto trace = generate(shipped("opt-125m"), deepspeed(stage, 1));
    for (const auto phase : {Phase::forward, Phase::backward, Phase::step})
      EXPECT_FALSE(volume(trace, phase).calls.contains(Collective::all_gather)) << stage;
  }
}

TEST(TalksChange, is_one_scatter_per_bucket) {
  auto settings = deepspeed(2, 6);
  settings.scatter_gradients = true;
  const auto model = shipped("opt-125m");
  const auto backward = volume(generate(model, settings), Phase::backward);
  EXPECT_EQ(backward.calls.at(Collective::reduce_scatter), 1U);
  EXPECT_FALSE(backward.calls.contains(Collective::all_reduce));
}

TEST(ZeroPlusPlus, quantizes_and_stays_within_the_node) {
  const auto model = shipped("cerebras-590m");
  auto settings = deepspeed(3, 16, 2);
  settings.ranks_per_node = 8;
  settings.secondary_partition = 8;
  settings.quantized_weights = settings.quantized_gradients = true;
  settings.max_reuse_distance = 0;
  const auto trace = generate(model, settings);
  expect_sound(trace);
  std::uint64_t across_first = 0, across_later = 0, within = 0, exchanged = 0;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    const bool is_world = trace.groups[static_cast<std::size_t>(event.group)].kind == Group::Kind::world;
    if (event.collective == Collective::all_to_all && event.type == DataType::int8) exchanged += event.elements;
    if (event.collective != Collective::all_gather || event.type != DataType::int8) continue;
    if (!is_world) within += event.elements;
    if (is_world && event.micro_step == 0 && event.phase == Phase::forward) across_first += event.elements;
    if (is_world && event.micro_step == 1) across_later += event.elements;
  }
  EXPECT_GT(across_first, model.elements() * 9 / 10);
  EXPECT_LT(across_later, model.elements() / 100);
  EXPECT_GT(within, model.elements());
  EXPECT_GT(exchanged, model.elements());  // half a byte to the node and a sixteenth beyond, twice
}

TEST(ZeroPlusPlus, has_a_scale_for_each_equal_group_of_a_fetch) {
  auto settings = deepspeed(3, 2);
  settings.quantized_weights = true;
  settings.persistence_threshold = 0;
  const auto scales = [&](std::uint64_t rows) {
    const auto model = model_from_description("m", fmt::format(R"({{"parameters": [{{"name": "w", "shape": [{}, 8]}}],
                             "forward": {{"name": "root", "parameters": ["w"]}}}})",
                                                               rows));
    for (const auto& event : generate(model, settings).events) {
      if (event.collective == Collective::all_gather && event.type == DataType::float32) return event.elements;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(scales(8), 2U);
  EXPECT_EQ(scales(8'000), 2U * 4);
  EXPECT_EQ(scales(2 * 1'009), 2U * 1'009) << "no group of 8000 divides a prime number of eights";
  EXPECT_THROW(scales(7), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
