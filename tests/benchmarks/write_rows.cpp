// Writes a result CSV as a long sweep leaves it, to measure the memory that the analysis takes:
//   write-rows 1000000 > rows.csv; /usr/bin/time -v ringmark-analyze report rows.csv -o report.html
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <variant>

#include <fmt/format.h>

#include "results/files/result_file.hpp"
#include "results/schema/columns.hpp"
#include "results/schema/record.hpp"

namespace {

using namespace ringmark;

constexpr int sizes = 25, first_exponent = 3;

/// The fields that rows share; settings change from launch to launch.
Record row_of_launch(int launch) {
  Record row;
  row.launch = static_cast<std::uint64_t>(launch + 1);
  row.run_id = "20260102T030405Z-abcdef." + std::to_string(*row.launch);
  row.time_utc = fmt::format("2026-01-02T{:02}:{:02}:{:02}Z", launch / 3600 % 24, launch / 60 % 60, launch % 60);
  row.transport = launch % 2 == 0 ? Transport::tcp : Transport::mpi;
  row.network = Network::tcp;
  row.memory = MemoryKind::host;
  row.algorithm = launch / 2 % 2 == 0 ? "ring" : "recursive_doubling";
  row.collective = launch / 4 % 2 == 0 ? Collective::all_reduce : Collective::all_gather;
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.in_place = 0;
  row.timing = Timing::each;
  row.start = Start::barrier;
  row.ranks = row.nodes = 16;
  row.status = Status::ok;
  row.extra["tcp.sockets"] = fmt::format("{}", 1 << (launch / 8 % 3));
  row.settings.others["tcp.sockets"] = row.extra["tcp.sockets"];
  return row;
}

void set_figures(Record& row, int exponent, std::mt19937& random) {
  row.size_bytes = std::uint64_t{1} << exponent;
  row.count = row.size_bytes / 4;
  row.samples = 100 + random() % 900;
  std::lognormal_distribution<double> scatter(0, 0.03);
  const double time_us = (20 + static_cast<double>(row.size_bytes) / 1000) * scatter(random);
  row.time_us_p50 = time_us;
  row.time_us_min = time_us * 0.8;
  row.time_us_p95 = time_us * 1.2;
  row.time_us_p99 = time_us * 1.4;
  row.time_us_max = time_us * 1.6;
  row.time_us_mean = time_us * scatter(random);
  row.time_us_ci_low = time_us * 0.99;
  row.time_us_ci_high = time_us * 1.01;
  row.algbw_GBps = static_cast<double>(row.size_bytes) / time_us / 1e3;
  const double factor = bus_factor(std::get<Collective>(row.collective.only().value()), row.ranks);
  row.busbw_GBps = *row.algbw_GBps * factor;
  row.busbw_GBps_ci_low = *row.busbw_GBps / 1.01;
  row.busbw_GBps_ci_high = *row.busbw_GBps / 0.99;
  row.wire_bytes = static_cast<double>(row.size_bytes) * factor;
  row.wrong_elements = 0;
}

}  // namespace

int main(int count, char** words) {
  const long rows = count == 2 ? std::strtol(words[1], nullptr, 10) : 0;
  if (rows < 1) {
    fmt::print(stderr, "usage: write-rows ROWS\n");
    return 2;
  }
  const std::vector<std::string> extra{"tcp.sockets"};
  std::mt19937 random(1);
  fmt::print("{}", write_csv(record_header(extra)));
  for (long i = 0; i < rows; ++i) {
    auto row = row_of_launch(static_cast<int>(i / sizes));
    set_figures(row, first_exponent + static_cast<int>(i % sizes), random);
    fmt::print("{}", write_csv(to_csv(row, extra)));
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}
