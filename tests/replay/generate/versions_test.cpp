#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/model/model_file.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace ringmark::replay
