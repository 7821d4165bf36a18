#include "replay/generate/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The elements of all matrices and of the vectors, each padded to the ranks.
std::uint64_t padded_elements(const Model& model, std::uint64_t ranks) {
  std::uint64_t sum = 0;
  for (const auto& parameter : model.parameters) sum += (parameter.elements() + ranks - 1) / ranks * ranks;
  return sum;
}

TEST(Volumes, of_stage1_and2_are_those_of_an_all_reduce_of_all_gradients) {
  const auto model = shipped("opt-1.3b");
  for (const int stage : {1, 2}) {
    const auto trace = generate(model, deepspeed(stage, 16, 4));
    expect_sound(trace);
    const auto gradients = volume(trace, Phase::backward);
    EXPECT_EQ(gradients.elements.at(Collective::all_reduce), model.elements() * (stage == 2 ? 4U : 1U));
    EXPECT_EQ(volume(trace, Phase::step).elements.at(Collective::all_gather), (model.elements() + 31) / 32 * 32);
  }
}

TEST(Volumes, of_stage3_are_a_reduce_scatter_of_all_and_at_least_one_gather) {
  for (const auto* name : {"llama-440m", "cerebras-2.7b", "llama2-7b"}) {
    SCOPED_TRACE(name);
    const auto model = shipped(name);
    const auto trace = generate(model, deepspeed(3, 48, 2));
    expect_sound(trace);
    const auto backward = volume(trace, Phase::backward), forward = volume(trace, Phase::forward);
    EXPECT_EQ(backward.elements.at(Collective::reduce_scatter), 2 * padded_elements(model, 48));
    const auto gathered =
        forward.elements.at(Collective::all_gather) +
        (backward.elements.contains(Collective::all_gather) ? backward.elements.at(Collective::all_gather) : 0);
    // Vectors stay, and so does the embedding from one micro-step to the next.
    EXPECT_GE(gathered, 2 * (model.elements() - 1'000'000) - model.parameters.front().elements());
    EXPECT_LE(gathered, 4 * padded_elements(model, 48));
  }
}

/// Numbers of calls and volumes that were derived for the shipped models by hand.
TEST(Volumes, of_stage3_at_defaults_are_the_derived_ones) {
  struct Derived {
    const char* model;
    std::uint64_t scatters;
    double ratio;
  };
  for (const auto& [name, scatters, ratio] :
       {Derived{"llama-440m", 1, 1.00}, Derived{"opt-1.3b", 3, 1.40}, Derived{"cerebras-2.7b", 6, 1.72},
        Derived{"llama-8b", 17, 1.88}, Derived{"opt-30b", 73, 1.99}, Derived{"llama2-70b", 161, 1.99}}) {
    SCOPED_TRACE(name);
    const auto model = shipped(name);
    const auto trace = generate(model, deepspeed(3, 64));
    EXPECT_EQ(volume(trace, Phase::backward).calls.at(Collective::reduce_scatter), scatters);
    auto backward = volume(trace, Phase::backward);
    const auto gathered =
        volume(trace, Phase::forward).elements.at(Collective::all_gather) + backward.elements[Collective::all_gather];
    EXPECT_NEAR(static_cast<double>(gathered) / static_cast<double>(model.elements()), ratio, 0.02);
  }
}

TEST(Volumes, of_ddp) {
  const auto model = shipped("llama-440m");
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-ddp");
  settings.ranks = 8;
  auto backward = volume(generate(model, settings), Phase::backward);
  EXPECT_EQ(backward.calls[Collective::all_reduce], 26U);
  EXPECT_EQ(backward.elements[Collective::all_reduce], model.elements());
}

TEST(Volumes, of_fsdp_are_two_gathers_and_a_scatter_per_micro_step) {
  const auto model = shipped("opt-125m");
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-fsdp");
  settings.ranks = 4;
  settings.micro_steps = 2;
  const auto trace = generate(model, settings);
  expect_sound(trace);
  const auto forward = volume(trace, Phase::forward), backward = volume(trace, Phase::backward);
  EXPECT_EQ(forward.elements.at(Collective::all_gather), 2 * model.elements());
  EXPECT_EQ(backward.elements.at(Collective::reduce_scatter), 2 * model.elements());
  EXPECT_EQ(backward.calls.at(Collective::all_gather), 2U * 12U);  // the root stays
}

TEST(Zero3, keeps_small_parameters_in_the_order_of_registration_until_their_bound) {
  const auto model = shipped("opt-125m");
  auto settings = deepspeed(3, 4);
  std::vector<std::uint64_t> small;
  for (const auto& parameter : model.parameters) {
    if (parameter.elements() <= settings.persistence_threshold) small.push_back(parameter.elements());
  }
  const auto unbounded = volume(generate(model, settings), Phase::step);
  EXPECT_EQ(unbounded.calls.at(Collective::all_gather), small.size());
  settings.model_persistence_threshold = small[0] + small[1];
  const auto bounded = volume(generate(model, settings), Phase::step);
  EXPECT_EQ(bounded.calls.at(Collective::all_gather), 2U);
  EXPECT_EQ(bounded.elements.at(Collective::all_gather), small[0] + small[1]);
  settings.model_persistence_threshold = 0;
  EXPECT_FALSE(volume(generate(model, settings), Phase::step).calls.contains(Collective::all_gather));
}

TEST(Containers, use_their_own_parameters_where_the_order_says) {
  const std::string tree = R"({
    "parameters": [{"name": "own", "shape": [10]}, {"name": "inner", "shape": [20]}],
    "forward": {"name": "root", "parameters": ["own"], "children": [{"name": "c", "parameters": ["inner"]}]})";
  auto settings = deepspeed(3, 2);
  settings.reduce_bucket = 1;
  EXPECT_THAT(reduced(model_from_description("m", tree + "}"), settings), ElementsAre(20, 10));
  EXPECT_THAT(reduced(model_from_description("m", tree + R"(, "gradient_order": ["own", "inner"]})"), settings),
              ElementsAre(10, 20));
}

/// Work of the linear layers: one unit forward, one for the gradient of the input, one for that of the weights.
TEST(Computation, is_less_for_what_is_frozen) {
  auto model = model_from_description("m", R"({
    "parameters": [{"name": "a", "shape": [10, 10]}, {"name": "b", "shape": [10, 10]}, {"name": "c", "shape": [10, 10]}],
    "forward": {"name": "root", "differentiable_input": false, "children": [
      {"name": "look-up", "parameters": ["a"], "differentiable_input": false},
      {"name": "first", "parameters": ["b"]}, {"name": "second", "parameters": ["c"]}]}})");
  const auto backward_units = [&] {
    double forward = 0, backward = 0;
    for (const auto& event : generate(model, deepspeed(2, 2)).events) {
      if (event.phase == Phase::forward) forward += event.flops;
      if (event.phase == Phase::backward) backward += event.flops;
    }
    return 2 * backward / forward;
  };
  EXPECT_DOUBLE_EQ(backward_units(), 4);
  model.parameters[2].requires_grad = false;
  EXPECT_DOUBLE_EQ(backward_units(), 3) << "no gradient of its weights";
  model.parameters[0].requires_grad = false;
  EXPECT_DOUBLE_EQ(backward_units(), 2) << "and the first layer's input has none";
  model.parameters[2].requires_grad = true;
  model.parameters[1].requires_grad = false;
  EXPECT_DOUBLE_EQ(backward_units(), 1) << "only the last layer's own";
}

/// torch.utils.checkpoint: the recomputation ends with the last tensor that the backward pass needs.
TEST(Computation, again_leaves_out_the_last_product_from_pytorch_2_1_on) {
  const auto model = shipped("opt-1.3b");
  const auto flops = [&](const char* framework, Phase phase) {
    StepSettings settings;
    settings.framework = parse_framework(framework).value();
    settings.ranks = 8;
    settings.recompute = {Recompute::Kind::full};
    double sum = 0;
    for (const auto& event : generate(model, settings).events) {
      if (event.phase == phase && event.tag.find("layers.3.") != std::string::npos) sum += event.flops;
    }
    return sum;
  };
  for (const auto* framework : {"pytorch-fsdp-1.13.1", "pytorch-ddp-2.0.1", "deepspeed-0.19.8"})
    EXPECT_DOUBLE_EQ(flops(framework, Phase::recompute), flops(framework, Phase::forward)) << framework;
  const double last = 2.0 * 2048 * 2048 * 8192;
  for (const auto* framework : {"pytorch-fsdp-2.4", "pytorch-fsdp2", "pytorch-ddp-2.1"})
    EXPECT_NEAR(flops(framework, Phase::recompute), flops(framework, Phase::forward) - last, 1) << framework;
}

double flops_in(const StepTrace& trace, Phase phase, const std::string& tag = "") {
  double sum = 0;
  for (const auto& event : trace.events) {
    if (event.phase == phase && event.tag.find(tag) != std::string::npos) sum += event.flops;
  }
  return sum;
}

std::vector<Event> collectives_of(const StepTrace& trace) {
  std::vector<Event> events;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    events.push_back(event);
    events.back().after.clear();  // indices of events
  }
  return events;
}

TEST(Computation, again_of_core_attention_is_its_forward_pass_and_gathers_nothing) {
  const auto model = shipped("opt-1.3b");
  for (const int stage : {1, 3}) {
    auto settings = deepspeed(stage, 4);
    const auto kept = generate(model, settings);
    settings.recompute = {Recompute::Kind::selective};
    const auto again = generate(model, settings);
    EXPECT_EQ(flops_in(kept, Phase::recompute), 0);
    // Scores and values of half of all pairs: 2 products of 2 operations.
    const double tokens = 2048.0 * static_cast<double>(settings.micro_batch) * settings.micro_steps;
    EXPECT_DOUBLE_EQ(flops_in(again, Phase::recompute), 24 * tokens * 4 * 2048 / 2 * 2048);
    EXPECT_EQ(flops_in(again, Phase::recompute), flops_in(again, Phase::recompute, "self_attn"));
    EXPECT_DOUBLE_EQ(flops_in(again, Phase::backward), flops_in(kept, Phase::backward));
    EXPECT_EQ(collectives_of(again), collectives_of(kept)) << "stage " << stage;
    EXPECT_EQ(again.parameters.at("recompute"), "selective");
  }
}

TEST(Computation, again_of_some_layers_is_their_share) {
  const auto model = shipped("opt-1.3b");
  auto settings = deepspeed(1, 4);
  settings.recompute = {Recompute::Kind::full};
  const auto all = generate(model, settings);
  settings.recompute.first_layers = 6;
  const auto some = generate(model, settings);
  EXPECT_DOUBLE_EQ(flops_in(some, Phase::recompute), flops_in(all, Phase::recompute) * 6 / 24);
  EXPECT_EQ(flops_in(some, Phase::recompute, "layers.6."), 0);
  EXPECT_EQ(some.parameters.at("recompute"), "block:6");
  EXPECT_EQ(all.parameters.at("recompute"), "true");
  settings.recompute.first_layers = 25;
  EXPECT_THROW(generate(model, settings), BadUsage);
}

TEST(Owners, cut_a_bucket_where_they_change) {
  const auto model = model_from_description("m", R"({
    "parameters": [{"name": "a", "shape": [10]}, {"name": "b", "shape": [10, 3]}, {"name": "c", "shape": [8]}],
    "forward": {"name": "root", "parameters": ["a", "b", "c"]}})");
  auto settings = deepspeed(1, 4);
  settings.multi_rank_all_reduce = false;
  settings.reduce_bucket = 45;
  std::vector<std::pair<int, std::uint64_t>> calls;
  for (const auto& event : generate(model, settings).events) {
    if (event.kind == EventKind::collective && event.collective == Collective::reduce)
      calls.emplace_back(event.root, event.elements);
  }
  // 48 elements, 12 for each owner; a and b are the first bucket.
  using Call = std::pair<int, std::uint64_t>;
  EXPECT_THAT(calls, ElementsAre(Call{0, 12}, Call{1, 12}, Call{2, 12}, Call{3, 4}, Call{3, 8}));
}

TEST(Settings, that_contradict_are_refused) {
  auto settings = deepspeed(2, 4);
  settings.quantized_weights = true;
  try {
    generate(shipped("opt-125m"), settings);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("ZeRO++"));
  }
}

TEST(Frameworks, are_read_with_and_without_version) {
  EXPECT_EQ(parse_framework("deepspeed")->text(), "deepspeed-0.16.4");
  EXPECT_EQ(parse_framework("deepspeed-0.19.6")->version, (std::array{0, 19, 6}));
  EXPECT_EQ(parse_framework("pytorch-ddp-1.13")->kind, Framework::Kind::pytorch_ddp);
  for (const auto* wrong : {"", "deepspeed-", "deepspeed-x", "deepspeed-0.1.2.3", "horovod", "deepspeed-0,16"})
    EXPECT_FALSE(parse_framework(wrong)) << wrong;
}

}  // namespace
}  // namespace ringmark::replay
