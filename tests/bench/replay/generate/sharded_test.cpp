#include <utility>
#include <vector>

#include "tests/bench/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using Calls = std::vector<std::pair<Collective, std::uint64_t>>;

Calls calls_of(const StepTrace& trace) {
  Calls calls;
  for (const auto& event : trace.events) {
    if (event.kind == EventKind::collective) calls.emplace_back(event.collective, event.elements);
  }
  return calls;
}

// As PyTorch 1.13 issued them for a GPT-2 of three layers on 7 ranks, each layer a unit (BackwardPrefetch.BACKWARD_PRE,
// clip_grad_norm_). What is gathered is padded to a multiple of the ranks.
TEST(Fsdp, issues_what_pytorch_does) {
  const auto model = make_model(architecture_from_config(
      "config.json",
      R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 3, "n_head": 1, "n_positions": 32, "vocab_size": 100})"));
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-fsdp");
  settings.ranks = 7;
  constexpr auto gather = Collective::all_gather, scatter = Collective::reduce_scatter;
  constexpr std::uint64_t layer = 49'987, root = 8'582;
  const Calls expected{{gather, root},   {gather, layer},  {gather, layer},  {gather, layer},
                       {gather, layer},  {gather, layer},  {scatter, layer}, {gather, layer},
                       {scatter, layer}, {scatter, layer}, {scatter, root},  {Collective::all_reduce, 1}};
  EXPECT_EQ(calls_of(generate(model, settings)), expected);
}

}  // namespace
}  // namespace ringmark::replay
