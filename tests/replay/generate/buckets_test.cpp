// Contents of DeepSpeed's buckets, and the memory traffic that fills them and updates the weights.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/model/model_file.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;

/// Memory bytes of the events with this name in a phase; of all computations if the name is empty.
double moved_bytes(const Model& model, const StepSettings& settings, Phase phase, const std::string& tag = "") {
  double bytes = 0;
  for (const auto& event : generate(model, settings).events) {
    if (event.phase != phase || event.kind == EventKind::collective) continue;
    if (tag.empty() || event.tag == tag) bytes += event.memory_bytes;
  }
  return bytes;
}

TEST(Buckets, take_tensors_up_to_their_size) {
  const auto model = model_from_description("m", R"({
    "parameters": [{"name": "a", "shape": [8]}, {"name": "b", "shape": [8]},
                   {"name": "c", "shape": [8]}, {"name": "d", "shape": [8]}],
    "forward": {"name": "root", "parameters": ["a", "b", "c", "d"]}})");
  auto settings = deepspeed(2, 2);
  settings.scatter_gradients = true;
  settings.reduce_bucket = 16;
  EXPECT_THAT(reduced(model, settings), ElementsAre(16, 16));
  settings.reduce_bucket = 15;
  EXPECT_THAT(reduced(model, settings), ElementsAre(8, 8, 8, 8));
}

TEST(Buckets, are_filled_by_reading_and_writing_each_gradient) {
  const auto model = shipped("opt-125m");
  const auto settings = deepspeed(2, 4);
  const auto gradient_bytes = static_cast<double>(model.elements() * size_bytes(settings.type));
  EXPECT_EQ(moved_bytes(model, settings, Phase::backward, "fill bucket"), 2 * gradient_bytes);
}

TEST(Stage0, updates_a_ranks_share_where_states_are_shared) {
  const auto model = shipped("opt-125m");
  auto settings = deepspeed(0, 4);
  settings.type = DataType::bfloat16;
  settings.framework = *parse_framework("deepspeed-0.17.6");
  const auto all = moved_bytes(model, settings, Phase::step);
  settings.framework = *parse_framework("deepspeed-0.17.5");
  EXPECT_DOUBLE_EQ(moved_bytes(model, settings, Phase::step), all / 4);
}

}  // namespace
}  // namespace ringmark::replay
