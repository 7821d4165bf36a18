// From a model to a step's trace, and from that to its time on thousands of ranks.
#include <benchmark/benchmark.h>

#include "replay/generate/generate.hpp"
#include "replay/model/architectures.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::replay {
namespace {

StepSettings zero3(int ranks) {
  StepSettings settings;
  settings.zero_stage = 3;
  settings.overlap_comm = true;
  settings.ranks = ranks;
  return settings;
}

void generate_llama2_70b(benchmark::State& state) {
  const auto model = make_model(*find_architecture("llama2-70b"));
  std::size_t events = 0;
  for (auto _ : state) events = generate(model, zero3(4096)).events.size();
  state.counters["events"] = static_cast<double>(events);
}
BENCHMARK(generate_llama2_70b)->Unit(benchmark::kMillisecond);

/// Ranks that differ: one is slow, or all are at random.
void simulate_llama2_70b(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const auto trace = generate(make_model(*find_architecture("llama2-70b")), zero3(ranks));
  Scene scene{ranks, durations_us(trace, {load_device("h100"), {}, {}, {}, 1}), {{1, 1.2}}};
  scene.jitter = static_cast<double>(state.range(1)) / 100;
  for (auto _ : state) {
    const auto network = make_network(Links{{6, 50}, std::nullopt, 1});
    benchmark::DoNotOptimize(simulate(trace, scene, *network).timeline.total_us);
  }
}
BENCHMARK(simulate_llama2_70b)->Args({4096, 0})->Args({4096, 5})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringmark::replay

BENCHMARK_MAIN();
