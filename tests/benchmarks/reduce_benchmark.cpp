// Bytes read and written per second by the reduction kernels, beside what copying reaches on this machine, from the
// second-level cache and from memory. Counter `of_copy` is the ratio to the copy measured just before.
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/datatype.hpp"
#include "transports/reduce/reduction.hpp"

namespace ringmark {
namespace {

// The operands together fill half of a common second-level cache, or many times the last-level one.
constexpr std::size_t in_l2_bytes = 192 << 10;
constexpr std::size_t in_memory_bytes = 128 << 20;

double copy_bytes_per_second = 0;

void copy(benchmark::State& state, std::size_t bytes) {
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  for ([[maybe_unused]] auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(2 * bytes) * state.iterations());
}

/// As the executor uses it on most steps: the result replaces the local operand.
void reduce(benchmark::State& state, const Reduction& reduction, std::size_t bytes) {
  std::vector<std::byte> local(bytes), incoming(bytes);
  for ([[maybe_unused]] auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    reduction(local.data(), local.data(), incoming.data(), bytes / reduction.element_bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(3 * bytes) * state.iterations());
}

void register_for(std::string_view place, std::size_t bytes) {
  const auto in = "/" + std::string(place);
  benchmark::RegisterBenchmark(("copy" + in).c_str(), copy, bytes);
  for (const auto type : all_datatypes()) {
    for (const auto op : all_reduce_ops()) {
      benchmark::RegisterBenchmark((std::string(name(type)) + "/" + std::string(name(op)) + in).c_str(), reduce,
                                   reduction_for(type, op, 8, op == ReduceOp::avg), bytes);
    }
  }
}

/// Adds each kernel's share of the copy bandwidth, run by run: machines drift.
class Comparing final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    auto changed = runs;
    for (auto& run : changed) {
      const auto found = run.counters.find("bytes_per_second");
      if (found == run.counters.end()) continue;
      if (run.benchmark_name().starts_with("copy")) {
        copy_bytes_per_second = found->second;
      } else if (copy_bytes_per_second > 0) {
        run.counters["of_copy"] = found->second / copy_bytes_per_second;
      }
    }
    ConsoleReporter::ReportRuns(changed);
  }
};

}  // namespace
}  // namespace ringmark

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  ringmark::register_for("l2", ringmark::in_l2_bytes);
  ringmark::register_for("memory", ringmark::in_memory_bytes);
  ringmark::Comparing reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
