#include "replay/model/recompute.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;
using enum Recompute::Kind;

struct Marked {
  int layers = 0, cores = 0;

  bool operator==(const Marked&) const = default;
};

Marked marked(const Model& model) {
  Marked count;
  const std::function<void(const Module&)> visit = [&](const Module& module) {
    count.layers += module.recompute ? 1 : 0;
    count.cores += module.recompute_core ? 1 : 0;
    for (const auto& child : module.children) visit(child);
  };
  visit(model.forward);
  return count;
}

Marked marked(const std::string& model, const Recompute& recompute) {
  auto changed = load_model(model);
  mark_recomputed(changed, recompute);
  return marked(changed);
}

std::string described(const std::string& lines) {
  return R"(
parameters: [{name: q, shape: [8, 8]}, {name: o, shape: [8, 8]}, {name: up, shape: [8, 8]}]
forward:
  name: root
  children:
    - {name: layers.0, children: [{name: layers.0.attn, children: [{name: layers.0.attn.q, parameters: [q]}]}]}
    - {name: layers.1, children: [{name: layers.1.attn, children: [{name: layers.1.attn.o, parameters: [o]}]}]}
    - {name: layers.2, children: [{name: layers.2.mlp, parameters: [up]}]}
)" + lines;
}

TEST(Recompute, is_read_as_a_word_a_truth_or_a_number_of_layers) {
  for (const Recompute each : {Recompute{none}, Recompute{selective}, Recompute{full}, Recompute{full, 12}})
    EXPECT_EQ(parse_recompute(name(each)), each);
  for (const auto* word : {"true", "Yes", "1", "full"}) EXPECT_EQ(parse_recompute(word), Recompute{full}) << word;
  for (const auto* word : {"false", "no", "0", "none"}) EXPECT_EQ(parse_recompute(word), Recompute{none}) << word;
  for (const auto* word : {"", "some", "block", "block:", "block:0", "block:x", "1/2", "selective:mlp"})
    EXPECT_FALSE(parse_recompute(word).has_value()) << word;
}

TEST(Recompute, marks_layers_or_the_core_of_their_attention) {
  for (const auto* model : {"opt-125m", "cerebras-590m", "llama-440m"}) {
    const int layers = static_cast<int>(load_model(model).dimensions.layers);
    EXPECT_EQ(marked(model, {none}), Marked{}) << model;
    EXPECT_EQ(marked(model, {full}), (Marked{layers, 0})) << model;
    EXPECT_EQ(marked(model, {full, 5}), (Marked{5, 0})) << model;
    EXPECT_EQ(marked(model, {selective}), (Marked{0, layers})) << model;
  }
}

TEST(Recompute, computes_nothing_twice) {
  auto model = load_model("opt-125m");
  mark_recomputed(model, {full, 5});
  mark_recomputed(model, {selective});
  EXPECT_EQ(marked(model), (Marked{5, 7}));
  mark_recomputed(model, {full});
  EXPECT_EQ(marked(model), (Marked{12, 0}));
}

TEST(Recompute, of_core_attention_needs_modules_that_are_attention_and_their_dimensions) {
  const std::string dimensions = "dimensions: {layers: 3, hidden: 8, heads: 2, vocabulary: 16}\n";
  const auto known = model_from_description("m", described(dimensions));
  EXPECT_FALSE(problem_of_recompute(known, {selective}, "--recompute"));
  EXPECT_FALSE(problem_of_recompute(known, {full, 3}, "--recompute"));
  const auto many = problem_of_recompute(known, {full, 4}, "--recompute");
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(many->value, "block:4");
  const auto unknown = problem_of_recompute(model_from_description("m", described("")), {selective}, "--recompute");
  ASSERT_TRUE(unknown.has_value());
  EXPECT_THAT(unknown->remedy, HasSubstr("dimensions"));
  const auto generic = problem_of_recompute(model_from_description("m", R"(
parameters: [{name: a, shape: [2]}]
forward: {name: root, children: [{name: layers.0, parameters: [a]}]}
dimensions: {layers: 1, hidden: 8, heads: 2, vocabulary: 16})"),
                                            {selective}, "recompute");
  ASSERT_TRUE(generic.has_value());
  EXPECT_EQ(generic->flag, "recompute");
  EXPECT_THAT(generic->remedy, HasSubstr("attention"));
}

TEST(Recompute, stands_in_a_description) {
  const std::string dimensions = "dimensions: {layers: 3, hidden: 8, heads: 2, vocabulary: 16}\n";
  const auto read = [&](const std::string& lines) { return marked(model_from_description("m", described(lines))); };
  EXPECT_EQ(read("recompute: true"), (Marked{3, 0}));
  EXPECT_EQ(read("recompute: block:2"), (Marked{2, 0}));
  EXPECT_EQ(read("recompute: selective\n" + dimensions), (Marked{0, 2}));
  EXPECT_EQ(read("recompute: [layers.1]"), (Marked{1, 0}));
  EXPECT_THROW(read("recompute: selective"), BadUsage) << "without dimensions";
  EXPECT_THROW(read("recompute: block:4"), BadUsage);
  EXPECT_THROW(read("recompute: some"), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
