// Reading a million rows, as a long sweep leaves them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "analysis/read/read_results.hpp"
#include "results/files/result_file.hpp"

namespace {

using namespace ringmark;

std::string rows_of_a_sweep(int rows) {
  auto text = write_csv(record_header({"NCCL_ALGO"}));
  Record row;
  row.time_utc = "2026-01-02T03:04:05Z";
  row.transport = Transport::tcp;
  row.network = Network::tcp;
  row.memory = MemoryKind::host;
  row.algorithm = "auto";
  row.collective = Collective::all_reduce;
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.timing = Timing::each;
  row.ranks = row.nodes = 16;
  row.status = Status::ok;
  row.settings = settings_from({{"tcp.sockets", "4"}});
  for (int i = 0; i < rows; ++i) {
    row.launch = static_cast<std::uint64_t>(i / 20);
    row.run_id = "20260102T030405Z-abcdef." + std::to_string(*row.launch);
    row.extra["NCCL_ALGO"] = i % 40 < 20 ? "Ring" : "Tree";
    row.size_bytes = std::uint64_t{1} << (10 + i % 20);
    row.time_us_p50 = row.time_us_min = row.time_us_p95 = row.time_us_max = row.time_us_mean = 100.25 + i % 977;
    row.time_us_ci_low = row.time_us_ci_high = row.time_us_p50;
    row.algbw_GBps = static_cast<double>(row.size_bytes) / *row.time_us_p50 / 1e3;
    row.busbw_GBps = *row.algbw_GBps * 1.875;
    text += write_csv(to_csv(row, {"NCCL_ALGO"}));
  }
  return text;
}

void read_million_rows(benchmark::State& state) {
  const auto text = rows_of_a_sweep(1'000'000);
  for (auto _ : state) {
    analysis::Results results;
    analysis::read_text(results, "results.csv", text, {});
    if (results.table.rows() != 1'000'000) state.SkipWithError("rows are missing");
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
  state.counters["file_MB"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK(read_million_rows)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
