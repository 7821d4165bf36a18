// The search of a plan over 100,000 configurations.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "analysis/plan/search.hpp"

namespace ringmark::analysis {
namespace {

/// Four models on up to 1,024 nodes of clusters that differ in device and network.
std::string many_clusters() {
  std::string text = R"(
tokens: 2e12
sequence: 4096
global_batch_sequences: 8192
models: [llama-8b, llama2-7b, opt-30b, llama2-70b]
recompute: [no, selective, full]
clusters:
)";
  for (const auto* device : {"a100", "h100", "h200", "b200"})
    for (const int GBps : {10, 45, 90, 180, 370, 740})
      text += fmt::format(
          "  - {{name: {0} {1}, device: {0}, intra: {{alpha_us: 5, GBps: 360}}, network: {{alpha_us: 8, GBps: "
          "{1}}}}}\n",
          device, GBps);
  return text;
}

void search(benchmark::State& state) {
  const auto scenario = read_scenario("many.yaml", many_clusters(), {});
  std::size_t configurations = 0;
  while (state.KeepRunning()) configurations = make_plan(scenario).size();
  state.counters["configurations"] = static_cast<double>(configurations);
}
BENCHMARK(search)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace ringmark::analysis

BENCHMARK_MAIN();
