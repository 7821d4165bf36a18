#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using Calls = std::vector<std::tuple<Collective, std::uint64_t, std::string>>;  // with the unit

Calls calls_of(const StepTrace& trace) {
  Calls calls;
  for (const auto& event : trace.events) {
    if (event.kind == EventKind::collective) calls.emplace_back(event.collective, event.elements, event.tag);
  }
  return calls;
}

Model three_layers() {
  return make_model(architecture_from_config(
      "config.json",
      R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 3, "n_head": 1, "n_positions": 32, "vocab_size": 100})"));
}

// As PyTorch 1.13 issued them for a GPT-2 of three layers on 7 ranks, each layer a unit (BackwardPrefetch.BACKWARD_PRE,
// clip_grad_norm_). Gathered tensors are padded to a multiple of the ranks.
TEST(Fsdp, issues_what_pytorch_does) {
  const auto model = three_layers();
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-fsdp");
  settings.ranks = 7;
  constexpr auto gather = Collective::all_gather, scatter = Collective::reduce_scatter;
  constexpr std::uint64_t layer = 49'987, root = 8'582;
  const std::string h0 = "transformer.h.0", h1 = "transformer.h.1", h2 = "transformer.h.2";
  const Calls expected{{gather, root, "root"}, {gather, layer, h0},     {gather, layer, h1},
                       {gather, layer, h2},    {gather, layer, h2},     {gather, layer, h1},
                       {scatter, layer, h2},   {gather, layer, h0},     {scatter, layer, h1},
                       {scatter, layer, h0},   {scatter, root, "root"}, {Collective::all_reduce, 1, "norm"}};
  EXPECT_EQ(calls_of(generate(model, settings)), expected);
  settings.clips_gradients = false;
  EXPECT_EQ(calls_of(generate(model, settings)), Calls(expected.begin(), expected.end() - 1)) << "no norm";
}

// As PyTorch 1.13 issued them with the root's tensors and the first layer frozen.
TEST(Fsdp, neither_reduces_nor_gathers_again_what_is_frozen) {
  auto model = three_layers();
  for (auto& parameter : model.parameters)
    parameter.requires_grad =
        parameter.name.find(".h.") != std::string::npos && parameter.name.find(".h.0.") == std::string::npos;
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-fsdp");
  settings.ranks = 2;
  constexpr auto gather = Collective::all_gather, scatter = Collective::reduce_scatter;
  constexpr std::uint64_t layer = 49'984, root = 8'576;
  const std::string h0 = "transformer.h.0", h1 = "transformer.h.1", h2 = "transformer.h.2";
  const Calls expected{{gather, root, "root"}, {gather, layer, h0},  {gather, layer, h1},
                       {gather, layer, h2},    {gather, layer, h2},  {gather, layer, h1},
                       {scatter, layer, h2},   {scatter, layer, h1}, {Collective::all_reduce, 1, "norm"}};
  EXPECT_EQ(calls_of(generate(model, settings)), expected);
}

StepSettings sharded(const char* framework, int ranks, std::optional<int> degree) {
  StepSettings settings;
  settings.framework = *parse_framework(framework);
  settings.ranks = ranks;
  settings.sharding.degree = degree;
  return settings;
}

TEST(Fsdp, refuses_degrees_that_do_not_divide) {
  const auto model = three_layers();
  EXPECT_THROW(generate(model, sharded("pytorch-fsdp2", 8, 3)), BadUsage);
  EXPECT_THROW(generate(model, sharded("pytorch-fsdp2", 8, 8)), BadUsage) << "nothing is replicated";
  EXPECT_THROW(generate(model, sharded("pytorch-fsdp", 8, 4)), BadUsage) << "FULL_SHARD has one degree";
  EXPECT_THROW(generate(model, sharded("pytorch-fsdp2-2.3", 8, 4)), BadUsage) << "not known";
  auto settings = sharded("pytorch-fsdp2", 8, 4);
  settings.sharding.reshard_after_forward = 4;
  EXPECT_THROW(generate(model, settings), BadUsage) << "as many ranks as share the copy";
  settings.sharding.reshard_after_forward = 2;
  EXPECT_NO_THROW(generate(model, settings));
}

TEST(Fsdp2, copies_what_it_gathers_and_what_it_reduces) {
  const auto copied_bytes = [](const StepSettings& settings) {
    std::map<std::string, double> bytes;
    for (const auto& event : generate(three_layers(), settings).events) {
      if (event.kind == EventKind::copy) bytes[event.tag] += event.memory_bytes;
    }
    return bytes;
  };
  auto settings = sharded("pytorch-fsdp2", 2, {});
  settings.reduce_type = DataType::float32;
  constexpr double layer = 49'984, root = 8'576;
  const auto bytes = copied_bytes(settings);
  // 16 bits are read and written. The root keeps its weights from the forward pass on, and the last layer's are
  // gathered again. Gradients are read in 16 bits and written in float32.
  EXPECT_EQ(bytes.at("copy out"), 4 * (root + 6 * layer));
  EXPECT_EQ(bytes.at("copy in"), 6 * (root + 3 * layer));
  settings.ranks = 1;
  EXPECT_TRUE(copied_bytes(settings).empty()) << "one rank has all";
}

TEST(Fsdp, needs_use_orig_params_for_units_that_are_trained_in_part) {
  auto model = three_layers();
  model.parameters.back().requires_grad = false;
  auto settings = sharded("pytorch-fsdp", 2, {});
  EXPECT_THROW(generate(model, settings), BadUsage);
  settings.sharding.use_orig_params = true;
  EXPECT_NO_THROW(generate(model, settings));
}

}  // namespace
}  // namespace ringmark::replay
