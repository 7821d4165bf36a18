// From a sweep file to the order of its launches.
#include <benchmark/benchmark.h>

#include "sweeps/file/plan.hpp"
#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

void expand_and_order(benchmark::State& state) {
  const std::string text =
      "question: How long?\nprogram: all-reduce\n"
      "variables: {A: {from: 1, to: 100, step: 1}, B: {from: 1, to: 1000, step: 1}}\n"
      "exclude: [{A: 1, B: 1}]\n";
  std::size_t points = 0;
  for (auto _ : state) {
    const Plan plan(read_sweep(text, "s.yaml").sweep);
    const auto launches = plan.launches();
    points = launches.size();
    for (const auto& launch : launches) benchmark::DoNotOptimize(plan.setting(launch.point));
  }
  state.counters["points"] = static_cast<double>(points);
}
BENCHMARK(expand_and_order)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringmark::sweep

BENCHMARK_MAIN();
