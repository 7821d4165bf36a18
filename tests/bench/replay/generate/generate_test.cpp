#include "bench/replay/generate/generate.hpp"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/replay/model/architectures.hpp"
#include "bench/replay/model/model_file.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model shipped(const char* name) { return make_model(*find_architecture(name)); }

StepSettings deepspeed(int stage, int ranks, int micro_steps = 1) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.ranks = ranks;
  settings.micro_steps = micro_steps;
  settings.overlap_comm = stage == 3;
  return settings;
}

struct Volume {
  std::map<Collective, std::uint64_t> calls, elements;
};

Volume volume(const StepTrace& trace, Phase phase) {
  Volume volume;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective || event.phase != phase) continue;
    ++volume.calls[event.collective];
    volume.elements[event.collective] += event.elements;
  }
  return volume;
}

/// Of all matrices and the vectors, each padded to the ranks.
std::uint64_t padded_elements(const Model& model, std::uint64_t ranks) {
  std::uint64_t sum = 0;
  for (const auto& parameter : model.parameters) sum += (parameter.elements() + ranks - 1) / ranks * ranks;
  return sum;
}

void expect_sound(const StepTrace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    for (const int before : event.after) ASSERT_LT(before, static_cast<int>(i));
    if (event.kind != EventKind::collective) continue;
    if (event.collective != Collective::all_gather && event.collective != Collective::reduce_scatter) continue;
    const auto size = trace.groups[static_cast<std::size_t>(event.group)].size(trace.ranks);
    ASSERT_EQ(event.elements % static_cast<std::uint64_t>(size), 0U);
  }
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

TEST(Volumes, of_ddp_and_megatron) {
  const auto model = shipped("llama-440m");
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-ddp");
  settings.ranks = 8;
  auto backward = volume(generate(model, settings), Phase::backward);
  EXPECT_EQ(backward.calls[Collective::all_reduce], 26U);
  EXPECT_EQ(backward.elements[Collective::all_reduce], model.elements());
  settings.framework = *parse_framework("megatron");
  settings.micro_steps = 3;
  const auto trace = generate(model, settings);
  expect_sound(trace);
  EXPECT_EQ(volume(trace, Phase::backward).elements.at(Collective::reduce_scatter), model.elements());
  EXPECT_EQ(volume(trace, Phase::step).elements.at(Collective::all_gather), model.elements());
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

TEST(Versions, change_what_is_issued) {
  const auto model = shipped("opt-125m");
  auto settings = deepspeed(2, 4);
  EXPECT_EQ(volume(generate(model, settings), Phase::step).calls.at(Collective::all_reduce), 1U);
  settings.framework = *parse_framework("deepspeed-0.19.6");
  EXPECT_EQ(volume(generate(model, settings), Phase::step).calls.at(Collective::all_reduce), 2U);

  settings = deepspeed(3, 4, 4);
  settings.prefetch_bucket = settings.persistence_threshold = settings.max_live = settings.max_reuse_distance = 0;
  const auto before = volume(generate(model, settings), Phase::forward);
  settings.framework = *parse_framework("deepspeed-0.19.6");
  const auto after = volume(generate(model, settings), Phase::forward);
  // The two embeddings are gathered again in each micro-step.
  EXPECT_EQ(after.calls.at(Collective::all_gather), before.calls.at(Collective::all_gather) + 2 * 3);
}

TEST(Versions, with_bfloat16_share_the_states_of_stage_0) {
  const auto model = shipped("llama-8b");
  auto settings = deepspeed(0, 4);
  const auto early = volume(generate(model, settings), Phase::backward);
  EXPECT_EQ(early.calls.at(Collective::all_reduce), 1U);
  EXPECT_EQ(early.elements.at(Collective::all_reduce), model.elements());
  settings.framework = *parse_framework("deepspeed-0.17.6");
  EXPECT_EQ(volume(generate(model, settings), Phase::backward).calls.at(Collective::all_reduce), 14U);
}

std::vector<std::uint64_t> reduced(const Model& model, const StepSettings& settings) {
  std::vector<std::uint64_t> elements;
  for (const auto& event : generate(model, settings).events) {
    if (event.kind == EventKind::collective && event.phase == Phase::backward) elements.push_back(event.elements);
  }
  return elements;
}

TEST(Versions, take_a_linears_weight_first_from_0_19_4_on) {
  const auto model = model_from_description("m", R"({
    "parameters": [{"name": "l.weight", "shape": [8, 6]}, {"name": "l.bias", "shape": [8]}],
    "forward": {"name": "root", "children": [{"name": "l", "parameters": ["l.weight", "l.bias"]}]}})");
  auto settings = deepspeed(3, 2);
  settings.reduce_bucket = 1;
  settings.framework = *parse_framework("deepspeed-0.19.3");
  EXPECT_THAT(reduced(model, settings), ElementsAre(8, 48));
  settings.framework = *parse_framework("deepspeed-0.19.4");
  EXPECT_THAT(reduced(model, settings), ElementsAre(48, 8));
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

TEST(Versions, look_for_overflow_in_stage_1_but_for_0_17) {
  const auto overflows = [](const char* version, int stage) {
    auto settings = deepspeed(stage, 4);
    settings.framework = *parse_framework(version);
    settings.type = DataType::float16;
    const auto events = generate(shipped("opt-125m"), settings).events;
    return std::count_if(events.begin(), events.end(), [](const auto& event) { return event.type == DataType::uint8; });
  };
  for (const auto* version : {"deepspeed-0.17.0", "deepspeed-0.18.0"}) EXPECT_EQ(overflows(version, 1), 1) << version;
  for (const auto* version : {"deepspeed-0.17.1", "deepspeed-0.17.6"}) EXPECT_EQ(overflows(version, 1), 0) << version;
  EXPECT_EQ(overflows("deepspeed-0.17.6", 2), 1);
}

TEST(Stage1, that_accumulates_in_float32_takes_the_optimizer_of_stage_0) {
  auto settings = deepspeed(1, 4);
  settings.framework = *parse_framework("deepspeed-0.19.6");
  settings.accumulates_in_float32 = true;
  const auto step = volume(generate(shipped("opt-125m"), settings), Phase::step);
  EXPECT_EQ(step.calls.at(Collective::all_gather), 1U);
  EXPECT_FALSE(step.calls.contains(Collective::all_reduce)) << "no norm";
}

TEST(Versions, clip_gradients_of_stage_0_by_their_own_default) {
  const auto model = shipped("opt-125m");
  const auto norms = [&](const char* version, std::optional<bool> clips, DataType type) {
    auto settings = deepspeed(0, 4);
    settings.framework = *parse_framework(version);
    settings.type = type;
    settings.clips_gradients = clips;
    return volume(generate(model, settings), Phase::step).calls[Collective::all_reduce];
  };
  EXPECT_EQ(norms("deepspeed-0.16.4", std::nullopt, DataType::float32), 0U);
  EXPECT_EQ(norms("deepspeed-0.16.4", true, DataType::float32), 1U);
  EXPECT_EQ(norms("deepspeed-0.19.6", std::nullopt, DataType::float32), 1U);
  EXPECT_EQ(norms("deepspeed-0.19.6", false, DataType::float32), 0U);
  EXPECT_EQ(norms("deepspeed-0.19.6", true, DataType::float16), 0U);
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

TEST(Overlap, is_what_the_version_does) {
  auto settings = deepspeed(2, 4);
  EXPECT_EQ(settings.effective_overlap(), Overlap::none);
  settings.overlap_comm = true;
  EXPECT_EQ(settings.effective_overlap(), Overlap::depth1);
  settings.framework = *parse_framework("deepspeed-0.17.5");
  EXPECT_EQ(settings.effective_overlap(), Overlap::none);
  settings.framework = *parse_framework("deepspeed-0.18.5");
  EXPECT_EQ(settings.effective_overlap(), Overlap::depth1);
  settings.framework = *parse_framework("deepspeed-0.14.2");
  EXPECT_EQ(settings.effective_overlap(), Overlap::ideal);
  settings.overlap = Overlap::none;
  EXPECT_EQ(settings.effective_overlap(), Overlap::none);
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

TEST(Settings, that_contradict_are_refused) {
  auto settings = deepspeed(2, 4);
  settings.quantized_weights = true;
  try {
    generate(shipped("opt-125m"), settings);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("ZeRO++ belongs to stage 3"));
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
