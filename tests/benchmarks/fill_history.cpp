// fill-history STORE LAUNCHES ROWS: fills a store with launches of that many rows each, evenly over three years, and
// prints how long adding one takes, by the last of them; the others are added many at a time. One series in ten becomes
// 5 % slower in the middle, when the driver changes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "base/system/deadline.hpp"
#include "history/store/add.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"

namespace {

using namespace ringmark;
using namespace ringmark::history;

constexpr int ranks = 64, hosts = 8;

StoredRow row_of(std::uint64_t number, bool is_late, std::mt19937_64& random) {
  constexpr double scatter = 0.02, slower = 1.05;
  Record row;
  row.transport = Transport::nccl;
  row.network = Network::ib;
  row.memory = MemoryKind::cuda;
  row.algorithm = "auto";
  row.collective = Workload(Collective::all_reduce);
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.timing = Timing::each;
  row.ranks = ranks;
  row.nodes = hosts;
  row.size_bytes = 1024 * (number + 1);
  row.count = row.size_bytes / sizeof(float);
  row.samples = 100;
  const bool is_changed = is_late && number % 10 == 0;
  const auto time_us = (20 + static_cast<double>(number)) * std::exp(std::normal_distribution(0.0, scatter)(random)) *
                       (is_changed ? slower : 1);
  row.time_us_p50 = row.time_us_mean = time_us;
  row.time_us_min = time_us * 0.9;
  row.time_us_max = time_us * 1.5;
  row.time_us_ci_low = time_us * 0.99;
  row.time_us_ci_high = time_us * 1.01;
  row.algbw_GBps = static_cast<double>(row.size_bytes) / time_us / 1e3;
  row.busbw_GBps = *row.algbw_GBps * bus_factor(Collective::all_reduce, ranks);
  row.start = Start::barrier;
  row.stop_reason = StopReason::precision;
  row.wrong_elements = 0;
  row.status = Status::ok;
  return {row};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: fill-history STORE LAUNCHES ROWS\n");
    return 2;
  }
  const auto launches = std::strtoull(argv[2], nullptr, 10), rows = std::strtoull(argv[3], nullptr, 10);
  const std::chrono::sys_seconds begin = std::chrono::sys_days(std::chrono::year(2024) / 1 / 1);
  const std::chrono::seconds span = std::chrono::days(3 * 365);
  Store store(argv[1], Access::write);
  std::mt19937_64 random(1);
  constexpr std::uint64_t at_once = 500, alone = 100;
  std::vector<Contents> waiting;
  std::vector<double> times_ms;
  for (std::uint64_t i = 0; i < launches; ++i) {
    const bool is_late = i >= launches / 2;
    Contents contents{.file = fmt::format("run-{}.csv", i), .sha256 = fmt::format("{}", i)};
    Launch launch{fmt::format("run-{}", i), begin + span * i / launches, {}};
    std::vector<std::string> names;
    for (int rank = 0; rank < ranks; ++rank)
      names.push_back(fmt::format("node{}", (i + static_cast<std::uint64_t>(rank / 8)) % 16));
    const auto rank_hosts = rank_hosts_text(names);
    for (std::uint64_t number = 0; number < rows; ++number) {
      auto& row = launch.rows.emplace_back(row_of(number, is_late, random)).record;
      row.run_id = launch.key;
      row.time_utc = utc_text(launch.time);
      row.settings.hosts = rank_hosts;
      row.settings.version = "0.1.0";
      row.settings.others = {{"nccl_version", "2.28.9"}, {"driver_version", is_late ? "580.95.05" : "570.86.10"}};
    }
    contents.launches.push_back(std::move(launch));
    if (i + alone < launches) {
      waiting.push_back(std::move(contents));
      if (waiting.size() < at_once && i + alone + 1 < launches) continue;
      add(store, waiting, "benchmark");
      waiting.clear();
      continue;
    }
    const auto started = Clock::now();
    add(store, contents, "benchmark");
    times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - started).count());
  }
  std::sort(times_ms.begin(), times_ms.end());
  if (times_ms.empty()) return 0;
  fmt::print("{} launches of {} rows; the last {} one by one: {:.2f} ms in the median, {:.2f} ms at most\n", launches,
             rows, times_ms.size(), times_ms[times_ms.size() / 2], times_ms.back());
}
